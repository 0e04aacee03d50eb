"""The rules of the tree (design-notes style, sections 1 to 8) as functions over text.

Every rule takes a Tree and yields (file, line, what is wrong). Line 0 means the whole file.
"""
import ast
import pathlib
import re

import cpp_text

# Who may include whom; a folder may always include itself.
LAYERS = {
    'base': set(),
    'protocol': {'base'},
    'relocation': {'base', 'protocol'},
    'store': {'base', 'protocol'},
    'engine': {'base', 'protocol'},
    'host': {'base', 'protocol', 'relocation', 'store'},
    'tools': {'base', 'protocol', 'relocation', 'store', 'engine', 'host'},
    'bench': {'base', 'protocol', 'relocation', 'store', 'engine', 'host'},
    'examples': {'base', 'host', 'client'},
    'client': {'base', 'protocol'},
}
# Files that are allowed one thing more, each by name.
LAYER_DOORS = [
    (re.compile(r'store/redis/'), {'engine'}),
    (re.compile(r'host/engine_world[._]'), {'engine'}),
    (re.compile(r'tools/sim[._]'), {'tests/sim'}),
    (re.compile(r'tools/demo_books[._]'), {'tests/sim'}),
]
FOLDERS = set(LAYERS) | {'tests'}

# A third-party header and the files that may name it.
THIRD_PARTY = [
    (re.compile(r'liburing\.h$'), re.compile(r'(engine|tests/engine|bench)/'),
     'only engine/ speaks to the ring'),
    (re.compile(r'boost/outcome\.hpp$'), re.compile(r'(?!)'),
     'the whole of Outcome costs seconds; base/result.hpp includes the part in use'),
    (re.compile(r'(nlohmann/json\.hpp|toml\+\+/)'), re.compile(r'.*\.cpp$'), 'in .cpp files only'),
    (re.compile(r'CLI/'), re.compile(r'tools/[^/]+\.cpp$'), 'the command line is tools/ work'),
]

COLUMNS_MAX = 100
TABLE_COLUMNS_MAX = 120  # Between `clang-format off` and `on`, where columns are the point.
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600

_IMPURE = re.compile(
    r'#\s*include\s*<(?:thread|mutex|shared_mutex|condition_variable|semaphore|future|random|ctime|'
    r'unistd\.h|time\.h|poll\.h|pthread\.h|sys/(?:socket|time|random|epoll|timerfd)\.h)>'
    r'|\b\w+_clock::now\b|\bstd::(?:this_thread|jthread|thread|async|random_device|mt19937\w*)\b'
    r'|\b(?:clock_gettime|gettimeofday|getrandom|getentropy|pthread_\w+|nanosleep)\s*\('
    r'|(?<![\w.>])(?:rand|srand|time)\s*\(')
_PURE = re.compile(r'(relocation|host|tests/sim)/')
# The half of host/ that joins it to the engine, the doors for ordinary threads, and what plays
# many simulations side by side.
_IMPURE_BY_PURPOSE = re.compile(r'host/(engine_world|host\.cpp|block_on|blocking)|'
                                r'tests/sim/seed_runner\.')

# Written in two halves: no rule may find itself.
_SLEEP = re.compile(r'this_thread::sl' r'eep|(?<![\w.])u?sl' r'eep\s*\(|\btime\.sl' r'eep\b|'
                    r'\bnanosl' r'eep\s*\(')
_LEFTOVER = re.compile(r'\b(?:FIX' r'ME|XX' r'X|HA' r'CK)\b')
_PROMISE = re.compile(r'\bTO' r'DO\b(?:\((D-\d+)\))?')
_MACHINE_PATH = re.compile(r'(?<![\w.])/(?:work|farm|root|home|Users|tmp/bash_jobs)/\w')
_TEST = re.compile(r'\bTEST(?:_F|_P)?\s*\(\s*\w+\s*,\s*(\w+)')
_LONG_FILE_REASON = re.compile(r'\b(?:long|longer|lines)\b.*\bbecause\b', re.S | re.I)


class Tree:
    """The files of the project below `root`, read once."""

    def __init__(self, files):
        self.files = files  # path inside the project -> text

    @classmethod
    def read(cls, root):
        files = {}
        for path in sorted(pathlib.Path(root).rglob('*')):
            name = path.relative_to(root).as_posix()
            if re.match(r'(build[^/]*|subprojects|\.git|\.cache)(/|$)', name) or path.is_symlink():
                continue
            if '__pycache__' in name or not path.is_file():
                continue
            try:
                files[name] = path.read_text(encoding='utf-8')
            except UnicodeDecodeError:
                continue  # Not text, so no rule of this file is about it.
        return cls(files)

    def cpp(self):
        return [(n, t) for n, t in self.files.items() if n.endswith(('.hpp', '.cpp'))]

    def code(self):
        """Everything a person writes code in."""
        return [(n, t) for n, t in self.files.items()
                if n.endswith(('.hpp', '.cpp', '.py', 'meson.build')) or n in ('dev', '.ci/run')]


def _line_of(text, offset):
    return text.count('\n', 0, offset) + 1


def _may_include(name, top, path):
    allowed = LAYERS[top] | {top}
    for door, more in LAYER_DOORS:
        if door.match(name):
            allowed = allowed | more
    return any(path.startswith(folder + '/') for folder in allowed)


def layering(tree):
    """Includes follow the table of style section 1, and say the folder."""
    for name, text in tree.cpp():
        top = name.split('/')[0]
        for line, quoted, path in cpp_text.includes(text):
            first = path.split('/')[0]
            # A test may name the helper that lies beside it.
            if quoted and first not in FOLDERS and top in LAYERS:
                yield name, line, f'"{path}": say the folder, starting at the project'
            if not quoted or first not in FOLDERS:
                continue
            if top in LAYERS and not _may_include(name, top, path):
                yield name, line, f'{top}/ must not include {path}'
            if name.startswith('tests/sim/') and (
                    first == 'engine' or path.startswith('host/engine_world')):
                yield name, line, 'the simulator never includes the engine'


def third_party(tree):
    """Costly or low-level libraries stay where they belong."""
    for name, text in tree.cpp():
        for line, _, path in cpp_text.includes(text):
            for header, where, why in THIRD_PARTY:
                if header.match(path) and not where.match(name):
                    yield name, line, f'<{path}>: {why}'
            if name.startswith('base/') and '/' in path and not path.startswith(
                    ('base/', 'boost/outcome', 'sys/')):
                yield name, line, f'<{path}>: base/ knows std and Outcome only'
    users = [name for name, text in tree.cpp()
             if any(path.startswith('CLI/') for _, _, path in cpp_text.includes(text))]
    if len(users) > 1:
        yield users[1], 0, 'CLI11 costs seconds per file: one file includes it'


def public_headers(tree):
    """The headers some meson.build installs."""
    for name, text in tree.files.items():
        if not name.endswith('meson.build'):
            continue
        folder = name.rpartition('/')[0]
        for call in re.findall(r'install_headers\(([^)]*)\)', text):
            for header in re.findall(r"'([^']+\.hpp)'", call):
                yield f'{folder}/{header}'


def public(tree):
    """A user compiles against public headers without the engine and the ring."""
    installed = set(public_headers(tree))
    for name in sorted(installed):
        if name not in tree.files:
            yield name, 0, 'installed, but not there'
            continue
        for line, quoted, path in cpp_text.includes(tree.files[name]):
            if path.startswith('engine/') or path == 'liburing.h':
                yield name, line, f'a public header includes {path}'
            elif quoted and path not in installed and path != 'base/version.hpp':
                yield name, line, f'a public header includes {path}, which is not installed'


def header_shape(tree):
    """A header begins with #pragma once and says what it is."""
    for name, text in tree.cpp():
        if name.endswith('.hpp') and not re.match(r'#pragma once\n\s*//', text):
            yield name, 1, 'a header begins with #pragma once and a comment that says what it is'


def size(tree):
    """Lines fit 100 columns, functions a screen, files one idea."""
    for name, text in tree.code():
        if not name.endswith('meson.build'):
            columns_max = COLUMNS_MAX
            for number, line in enumerate(text.split('\n'), 1):
                if line.strip() == '// clang-format off':
                    columns_max = TABLE_COLUMNS_MAX
                elif line.strip() == '// clang-format on':
                    columns_max = COLUMNS_MAX
                if len(line) > columns_max:
                    yield name, number, f'{len(line)} columns, the limit is {columns_max}'
        for first, lines in function_lengths(name, text):
            if lines > FUNCTION_LINES_MAX:
                yield name, first, f'a function of {lines} lines, the limit is {FUNCTION_LINES_MAX}'
        line_count = text.count('\n')
        head = '\n'.join(text.split('\n')[:15])
        if line_count > FILE_LINES_MAX and not _LONG_FILE_REASON.search(head):
            yield name, 0, (f'{line_count} lines: more than one idea? If not, the head comment '
                            'says that it is long because ...')


def function_lengths(name, text):
    """(first_line, line_count) of the functions of a C++ or Python file."""
    if name.endswith(('.hpp', '.cpp')):
        return cpp_text.functions(text)
    if name.endswith('.py'):
        return [(node.lineno, node.end_lineno - node.lineno + 1)
                for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return []


def leftovers(tree):
    """Nothing half done stays: a promise has an id that docs/decisions.md explains."""
    decisions = tree.files.get('docs/decisions.md', '')
    for name, text in tree.code():
        for match in _LEFTOVER.finditer(text):
            yield name, _line_of(text, match.start()), f'{match[0]}: finish it or decide about it'
        for match in _PROMISE.finditer(text):
            if not match[1] or not re.search(rf'\b{match[1]}\b', decisions):
                yield name, _line_of(text, match.start()), f'{match[0]}: no id of docs/decisions.md'


def merged(tree):
    """No merge was committed half way."""
    for name, text in tree.files.items():
        for match in re.finditer(r'^(?:<{7} |>{7} )', text, re.M):
            yield name, _line_of(text, match.start()), 'a conflict marker'


def purity(tree):
    """relocation/, host/ and the simulator take time, threads and chance from the World."""
    for name, text in tree.cpp():
        if not _PURE.match(name) or _IMPURE_BY_PURPOSE.match(name):
            continue
        code = cpp_text.code_of(text)
        for match in _IMPURE.finditer(code):
            yield name, _line_of(code, match.start()), f'{match[0]}: ask the World for it'


def sleeping(tree):
    """Tests wait for conditions."""
    for name, text in tree.code():
        if not name.startswith('tests/'):
            continue
        code = cpp_text.code_of(text) if name.endswith(('.hpp', '.cpp')) else text
        for match in _SLEEP.finditer(code):
            yield name, _line_of(code, match.start()), 'sleeps: wait for a condition instead'


def machine_paths(tree):
    """No file knows the machine it was written on."""
    for name, text in tree.files.items():
        for match in _MACHINE_PATH.finditer(text):
            yield name, _line_of(text, match.start()), f'{match[0]}...: a path of one machine'


def contract_ids(tree):
    """Every claimed contract row has a test named after it, for the claimed kind."""
    names = [t for n, text in tree.cpp() if n.startswith('tests/') for t in _TEST.findall(text)]
    listing = 'tests/tidy/contract-ids.txt'
    for number, line in enumerate(tree.files.get(listing, '').split('\n'), 1):
        words = line.partition('#')[0].split()
        if not words:
            continue
        row = re.fullmatch(r'([UH])-?0*(\d+)', words[0])
        if not row:
            yield listing, number, f'{words[0]}: not a contract id'
            continue
        token = re.compile(rf'(?:^|_){row[1]}0*{row[2]}_')
        for kind in words[1:] or ['']:
            if not any(token.search(t) and f'_{kind}_' in f'_{t}_' for t in names if kind) and not (
                    kind == '' and any(token.search(t) for t in names)):
                yield listing, number, f'{words[0]} {kind}'.strip() + ': no test is named after it'


ALL = [layering, third_party, public, header_shape, size, leftovers, merged, purity, sleeping,
       machine_paths, contract_ids]
