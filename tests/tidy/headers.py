#!/usr/bin/env python3
"""Compiles every header alone, so no header depends on what its users include before it.

Usage: headers.py PROJECT_DIR BUILD_DIR COMPILER...

Only the syntax is checked. Left out is a header that is the first include of its own .cpp, for the
build has compiled that, and one whose files have not changed since it last passed; the compiler's
own dependency files tell which files those are.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import cpp_text
import rules


def flags_of(commands):
    """What the project's own files are compiled with: include paths, definitions, language."""
    flags = {}
    for entry in commands:
        words = shlex.split(entry['command'])
        for word in words:
            if re.match(r'-(I(?!.*\.p$)|isystem|D|std=)', word):
                flags[word] = None  # A dict keeps the order and drops repetitions.
    return list(flags)


def proven_by_build(tree, root, commands):
    """The headers that some compiled source includes before anything else."""
    compiled = {os.path.normpath(os.path.join(entry['directory'], entry['file']))
                for entry in commands}
    proven = set()
    for name, text in tree.cpp():
        first = next(iter(cpp_text.includes(text)), None)
        if first and first[1] and str(root / name) in compiled:
            proven.add(first[2])
    return proven


def is_fresh(stamp, command):
    """Whether the stamp was left by this command and is newer than all it depends on."""
    try:
        first, *files = stamp.read_text(encoding='utf-8').splitlines()
        made = stamp.stat().st_mtime
        return first == command and all(os.path.getmtime(file) <= made for file in files)
    except (OSError, ValueError):
        return False


def check(header, root, build, compile_words):
    """None, or the compiler's complaint."""
    stamp = build / 'tests/tidy/headers' / (header.replace('/', '.') + '.ok')
    dependencies = stamp.with_suffix('.d')
    command = [*compile_words, '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-MMD', '-MF',
               str(dependencies), '-x', 'c++', '-']
    if is_fresh(stamp, shlex.join(command)):
        return None
    stamp.parent.mkdir(parents=True, exist_ok=True)
    started = os.path.getmtime(root / header)
    done = subprocess.run(command, input=f'#include "{header}"\n', text=True, cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        return done.stdout
    names = dependencies.read_text(encoding='utf-8').replace('\\\n', ' ').split()[1:]
    files = [str((build / name).resolve()) for name in names if name != '-']
    stamp.write_text('\n'.join([shlex.join(command), *files]) + '\n', encoding='utf-8')
    if os.path.getmtime(root / header) != started:
        stamp.unlink()  # It changed meanwhile: what passed is not what is there.
    return None


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    root, build = (pathlib.Path(a).resolve() for a in arguments[:2])
    commands = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    compile_words = [*arguments[2:], *flags_of(commands)]
    tree = rules.Tree.read(root)
    everything = [name for name, _ in tree.cpp() if name.endswith('.hpp')]
    proven = proven_by_build(tree, root, commands)
    headers = [name for name in everything if name not in proven]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(lambda h: check(h, root, build, compile_words), headers)
        for header, complaint in zip(headers, complaints):
            if complaint:
                bad += 1
                print(f'{header} does not compile alone:\n{complaint}')
    proven_count = len(everything) - len(headers)
    print(f'headers: {len(headers)} compiled alone, {bad} failed, {proven_count} by the build')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
