"""Writes a C++ file that holds a text file as a string: embed_text.py INPUT OUTPUT NAME."""
import pathlib
import sys

source, target, name = sys.argv[1:]
lines = []
for line in pathlib.Path(source).read_text(encoding='ascii').splitlines(keepends=True):
    escaped = line.replace('\\', '\\\\').replace('"', '\\"')
    escaped = escaped.replace('\t', '\\t').replace('\n', '\\n')
    lines.append(f'    "{escaped}"\n')
pathlib.Path(target).write_text(
    f'#include "tools/sample_trace.hpp"\n\nnamespace shunt::tools {{\n\n'
    f'const std::string_view {name} =\n{"".join(lines)}    ;\n\n}}  // namespace shunt::tools\n',
    encoding='ascii')
