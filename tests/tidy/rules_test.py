"""Tests of the tree's rules: each must find what it is for, and leave good code alone."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cpp_text  # noqa: E402
import rules  # noqa: E402


def findings(rule, name, text, **more):
    """How often a rule complains about one file."""
    return len(list(rule(rules.Tree({name: text, **more}))))


class CppText(unittest.TestCase):
    def test_comments_and_strings_are_no_code(self):
        code = cpp_text.code_of('a("//x {"); // {\n/* {\n{ */ b(\'{\', R"x({)x"); c = 1\'000;')
        self.assertNotIn('{', code)
        self.assertEqual(code.count('\n'), 2)
        self.assertIn("1'000", code)

    def test_commented_include_does_not_count(self):
        self.assertEqual(cpp_text.includes('// #include "a/b.hpp"\n#include "c/d.hpp"\n'),
                         [(2, True, 'c/d.hpp')])

    def lengths(self, text):
        return [lines for _, lines in cpp_text.functions(text)]

    def test_function_is_measured_brace_to_brace(self):
        text = 'int f(int a = g(1)) {\n    if (a) {\n    }\n    return a;\n}'
        self.assertEqual(self.lengths(text), [5])

    def test_members_in_a_class_in_a_namespace(self):
        self.assertEqual(self.lengths('namespace a {\nclass B final : public C<decltype(d())> {\n'
                                      '    B() noexcept : x_(1), y_{2}, z_{} {\n    }\n'
                                      '    int z() const { return 1; }\n};\n}\n'), [2, 1])

    def test_tables_and_enums_are_no_functions(self):
        for text in ('constexpr auto kTable = std::to_array<T>({\n{1, 2},\n});',
                     'enum class E : int {\nA,\n};', 'struct S {\nint a = f();\nint b{};\n};',
                     'template <class T>\nrequires(sizeof(T) > 1)\nclass A {\n};'):
            self.assertEqual(self.lengths(text), [], text)

    def test_lambda_initialiser_is_a_function(self):
        self.assertEqual(self.lengths('inline constexpr auto kT = [] {\n    return 1;\n}();'), [3])
        self.assertEqual(self.lengths('const auto f = [](int a) -> int {\n    return a;\n};'), [3])

    def test_templates_and_constraints(self):
        self.assertEqual(self.lengths('template <typename A, class B>\nrequires(sizeof(A) < 8)\n'
                                      'B f(std::array<A, 3> a) {\n    return a;\n}'), [3])

    def test_operators_are_functions(self):
        self.assertEqual(self.lengths('bool operator==(const A& b) const {\n}\n'
                                      'A& operator=(A&& b) noexcept {\n\n}'), [2, 3])

    def test_control_flow_at_function_level_only_ends_with_its_function(self):
        text = 'void f() {\n    for (;;) {\n    }\n    do {\n    } while (x);\n}'
        self.assertEqual(self.lengths(text), [6])

    def test_macro_with_a_brace_does_not_upset_the_count(self):
        self.assertEqual(self.lengths('#define OPEN namespace x {\nint f() {\n}\n'), [2])


class Layering(unittest.TestCase):
    def test_each_folder_sees_what_the_table_says(self):
        good = [('protocol/a.hpp', 'base/b.hpp'), ('host/a.cpp', 'store/b.hpp'),
                ('host/engine_world.cpp', 'engine/ring.hpp'), ('store/redis/a.cpp', 'engine/b.hpp'),
                ('tools/demo.cpp', 'engine/b.hpp'), ('tools/sim.cpp', 'tests/sim/world.hpp'),
                ('tests/engine/a_test.cpp', 'engine/ring.hpp'), ('base/a.cpp', 'base/a.hpp')]
        bad = [('base/a.hpp', 'protocol/b.hpp'), ('relocation/a.hpp', 'store/b.hpp'),
               ('store/a.hpp', 'engine/b.hpp'), ('host/driver.cpp', 'engine/ring.hpp'),
               ('engine/a.hpp', 'host/b.hpp'), ('examples/hello.cpp', 'engine/b.hpp'),
               ('tools/demo.cpp', 'tests/sim/world.hpp'), ('tests/sim/w.cpp', 'engine/ring.hpp'),
               ('tests/sim/w.cpp', 'host/engine_world.hpp'), ('host/a.cpp', 'host.hpp')]
        for name, path in good:
            self.assertEqual(findings(rules.layering, name, f'#include "{path}"\n'), 0, name)
        for name, path in bad:
            self.assertEqual(findings(rules.layering, name, f'#include "{path}"\n'), 1, name)

    def test_third_party_headers_have_their_places(self):
        for name, path, count in [('engine/ring.cpp', 'liburing.h', 0),
                                  ('host/a.cpp', 'liburing.h', 1),
                                  ('host/a.hpp', 'nlohmann/json.hpp', 1),
                                  ('host/a.cpp', 'nlohmann/json.hpp', 0),
                                  ('base/a.hpp', 'boost/outcome/try.hpp', 0),
                                  ('base/a.hpp', 'boost/outcome.hpp', 1),
                                  ('base/a.hpp', 'boost/asio.hpp', 1),
                                  ('tools/main.cpp', 'CLI/CLI.hpp', 0),
                                  ('host/main.cpp', 'CLI/CLI.hpp', 1)]:
            self.assertEqual(findings(rules.third_party, name, f'#include <{path}>\n'), count, name)

    def test_command_line_library_is_in_one_file(self):
        include = '#include <CLI/CLI.hpp>\n'
        tree = rules.Tree({'tools/a.cpp': include, 'tools/b.cpp': include})
        self.assertEqual([name for name, _, _ in rules.third_party(tree)], ['tools/b.cpp'])

    def test_public_headers_hide_the_engine(self):
        build = "install_headers('a.hpp', subdir: 'shunt/host')"
        for include, count in [('"engine/ring.hpp"', 1), ('<liburing.h>', 1), ('"host/b.hpp"', 1),
                               ('"base/version.hpp"', 0), ('<vector>', 0)]:
            more = {'host/a.hpp': f'#include {include}\n', 'host/b.hpp': ''}
            self.assertEqual(findings(rules.public, 'host/meson.build', build, **more), count)
        self.assertEqual(findings(rules.public, 'host/meson.build', build), 1)


class Shape(unittest.TestCase):
    def test_header_says_what_it_is(self):
        self.assertEqual(findings(rules.header_shape, 'a/b.hpp', '#pragma once\n// What.\n'), 0)
        self.assertEqual(findings(rules.header_shape, 'a/b.hpp', '#pragma once\nint a;\n'), 1)
        self.assertEqual(findings(rules.header_shape, 'a/b.hpp', '// What.\nint a;\n'), 1)

    def test_columns_at_the_limit_and_one_past(self):
        self.assertEqual(findings(rules.size, 'a/b.cpp', 'x' * 100), 0)
        self.assertEqual(findings(rules.size, 'a/b.cpp', 'x' * 101), 1)
        self.assertEqual(findings(rules.size, 'a/b.cpp', 'ä' * 100), 0)

    def test_tables_may_be_wider(self):
        table = '    // clang-format off\n{}\n    // clang-format on\n{}'
        self.assertEqual(findings(rules.size, 'a/b.cpp', table.format('x' * 120, '')), 0)
        self.assertEqual(findings(rules.size, 'a/b.cpp', table.format('x' * 121, '')), 1)
        self.assertEqual(findings(rules.size, 'a/b.cpp', table.format('', 'x' * 101)), 1)

    def test_function_at_the_limit_and_one_past(self):
        for lines, count in [(70, 0), (71, 1)]:
            cpp = 'void f() {' + '\n' * (lines - 1) + '}'
            python = 'def f():\n' + '    a = 1\n' * (lines - 1)
            self.assertEqual(findings(rules.size, 'a/b.cpp', cpp), count)
            self.assertEqual(findings(rules.size, 'a/b.py', python), count)

    def test_long_file_needs_its_reason(self):
        self.assertEqual(findings(rules.size, 'a/b.cpp', '\n' * 600), 0)
        self.assertEqual(findings(rules.size, 'a/b.cpp', '\n' * 601), 1)
        reason = '// The table of all commands; long because a row may not be split.\n'
        self.assertEqual(findings(rules.size, 'a/b.cpp', reason + '\n' * 601), 0)


class Honesty(unittest.TestCase):
    def test_leftovers_are_found(self):
        for word in ('FIX' 'ME', 'XX' 'X', 'HA' 'CK', 'TO' 'DO', 'TO' 'DO(D-7)'):
            self.assertEqual(findings(rules.leftovers, 'a/b.cpp', f'// {word}: later\n'), 1, word)

    def test_promise_with_a_known_id_stays(self):
        text = '// TO' 'DO(D-7): later\n'
        self.assertEqual(findings(rules.leftovers, 'a/b.cpp', text,
                                  **{'docs/decisions.md': '## D-7 Later\n'}), 0)
        self.assertEqual(findings(rules.leftovers, 'a/b.cpp', text,
                                  **{'docs/decisions.md': '## D-77 Other\n'}), 1)

    def test_conflict_markers_are_found(self):
        text = 'a\n' + '<' * 7 + ' HEAD\nb\n' + '>' * 7 + ' other\n'
        self.assertEqual(findings(rules.merged, 'a/b.cpp', text), 2)
        self.assertEqual(findings(rules.merged, 'a/b.cpp', 'std::cout << 1 >> 7;\n'), 0)

    def test_pure_folders_have_no_clock_thread_or_chance(self):
        bad = ['#include <thread>', '#include <random>', '#include <sys/socket.h>',
               'auto a = std::chrono::steady_clock::now();', 'std::thread t;', 'int a = rand();',
               'time(nullptr);', 'clock_gettime(CLOCK_MONOTONIC, &t);', 'std::random_device r;']
        for line in bad:
            for name in ('relocation/a.cpp', 'host/a.hpp', 'tests/sim/a.cpp'):
                self.assertEqual(findings(rules.purity, name, line), 1, line)
            for name in ('host/engine_world.cpp', 'host/blocking_pool.cpp', 'engine/a.cpp'):
                self.assertEqual(findings(rules.purity, name, line), 0, line)
        for line in ('#include <chrono>', 'world.now();', 'start_time(3);', '// std::thread',
                     'a.time(1)'):
            self.assertEqual(findings(rules.purity, 'host/a.cpp', line), 0, line)

    def test_sleeping_tests_are_found(self):
        for line in ('std::this_thread::sl' 'eep_for(1s);', 'sl' 'eep(1);',
                     'usl' 'eep(10);'):
            self.assertEqual(findings(rules.sleeping, 'tests/a/b_test.cpp', line), 1, line)
        self.assertEqual(findings(rules.sleeping, 'tests/a/b_test.cpp', '// no sl' 'eep(1)\n'), 0)
        self.assertEqual(findings(rules.sleeping, 'engine/a.cpp', 'shard.sl' 'eep();'), 0)

    def test_paths_of_one_machine_are_found(self):
        self.assertEqual(findings(rules.machine_paths, 'a.md', 'see /ho' 'me/me/x\n'), 1)
        relative = 'see ../shared/traces and base/home/x\n'
        self.assertEqual(findings(rules.machine_paths, 'a.md', relative), 0)


class ContractIds(unittest.TestCase):
    LIST = 'tests/tidy/contract-ids.txt'

    def missing(self, listing, tests):
        return findings(rules.contract_ids, self.LIST, listing, **{'tests/a/b_test.cpp': tests})

    def test_row_needs_a_test_of_its_name(self):
        self.assertEqual(self.missing('U-07  # why\n', 'TEST(Move, U07_KeepsOrder) {}'), 0)
        self.assertEqual(self.missing('U-7\n', 'TEST_F(Move, U06_U007_KeepsOrder) {}'), 0)
        self.assertEqual(self.missing('U-07\n', 'TEST(Move, U70_KeepsOrder) {}'), 1)
        self.assertEqual(self.missing('U-07\n', '// U07_KeepsOrder'), 1)

    def test_each_kind_needs_a_test(self):
        test = 'TEST(Move, U01_Actor_KeepsItsState) {}'
        self.assertEqual(self.missing('U-01 Actor\n', test), 0)
        self.assertEqual(self.missing('U-01 Actor Spot\n', test), 1)

    def test_unknown_word_is_told(self):
        self.assertEqual(self.missing('V-01\n', ''), 1)


if __name__ == '__main__':
    unittest.main()
