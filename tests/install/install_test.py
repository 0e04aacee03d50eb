"""Installs the build into an empty directory and builds an outside program against it.

Usage: install_test.py BUILD_DIR SOURCE_DIR VERSION SANITIZERS COMPILER...

The program sees the installed headers and what `pkg-config shunt` says, as a user of the library
does; the source tree is not on its include path.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = map(pathlib.Path, sys.argv[1:3])
VERSION, SANITIZERS, *COMPILER = sys.argv[3:]


def readme_program():
    """The first C++ block of the README: the shortest embedding program."""
    readme = (SOURCE / 'README.md').read_text(encoding='utf-8')
    return re.search(r'^```cpp\n(.*?)^```$', readme, re.M | re.S)[1]


def output_of(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        words = ' '.join(map(str, command))
        raise AssertionError(f'{words} gave {done.returncode}:\n{done.stdout}')
    return done.stdout.strip()


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.room.cleanup)
        cls.stage = pathlib.Path(cls.room.name) / 'stage'
        output_of('meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', cls.stage)
        found = list(cls.stage.rglob('shunt.pc'))
        assert len(found) == 1, f'one shunt.pc expected: {found}'
        # The staging area is not the prefix, so a copy says where the files are for now.
        text = found[0].read_text(encoding='utf-8')
        prefix = text.splitlines()[0].removeprefix('prefix=')
        copy = pathlib.Path(cls.room.name) / 'shunt.pc'
        copy.write_text(text.replace(f'prefix={prefix}', f'prefix={cls.stage}{prefix}', 1),
                        encoding='utf-8')
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=cls.room.name)

    def pkg_config(self, *arguments):
        return output_of('pkg-config', *arguments, 'shunt', env=self.environment)

    def test_version_is_the_projects(self):
        self.assertEqual(self.pkg_config('--modversion'), VERSION)

    def build(self, source):
        """The program made of `source` by a user of the installed library."""
        program = pathlib.Path(self.room.name) / source.stem
        sanitize = [] if SANITIZERS == 'none' else [f'-fsanitize={SANITIZERS}']
        output_of(*COMPILER, '-std=c++20', '-Wall', '-Wextra', '-Werror', *sanitize, source,
                  '-o', program, *self.pkg_config('--cflags', '--libs').split(),
                  cwd=self.room.name)
        return program

    def test_outside_program_builds_and_runs(self):
        program = self.build(SOURCE / 'tests/install/consumer.cpp')
        self.assertEqual(output_of(program), f'shunt {VERSION} works')

    def test_readme_program_builds_and_runs(self):
        source = pathlib.Path(self.room.name) / 'readme.cpp'
        source.write_text(readme_program(), encoding='utf-8')
        self.assertEqual(output_of(self.build(source)),
                         'Relocated; the counter now lives on the second host and says 4')

    def test_readme_program_is_the_example(self):
        example = (SOURCE / 'examples/hello.cpp').read_text(encoding='utf-8')
        _, _, program = example.partition('\n')  # Its first line says what it is.
        outside = program.replace('"host/host.hpp"', '<shunt/host/host.hpp>')
        self.assertEqual(readme_program(), outside)

    def test_public_headers_stand_alone_under_their_prefix(self):
        include = next(self.stage.rglob('include'))
        self.assertEqual([entry.name for entry in include.iterdir()], ['shunt'])
        headers = sorted(include.rglob('*.hpp'))
        self.assertTrue(headers)
        text = ''.join(f'#include <{header.relative_to(include)}>\n' for header in headers)
        everything = pathlib.Path(self.room.name) / 'everything.cpp'
        everything.write_text(text, encoding='utf-8')
        output_of(*COMPILER, '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Werror',
                  everything, *self.pkg_config('--cflags').split(), cwd=self.room.name)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
