"""Tests of summary.py: every way a program can end must show in the sum."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import summary  # noqa: E402

GTEST = '''[==========] Running 3 tests from 1 test suite.
[ RUN      ] Reader.Takes
[       OK ] Reader.Takes (0 ms)
[ RUN      ] Reader.Finishes
[  FAILED  ] Reader.Finishes (1 ms)
[ RUN      ] Reader/Each.Value/0
[  FAILED  ] Reader/Each.Value/0, where GetParam() = 7 (0 ms)
[==========] 3 tests from 1 test suite ran. (1 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Reader.Finishes
[  FAILED  ] Reader/Each.Value/0, where GetParam() = 7
'''
GTEST_ALL_OK = '''[==========] Running 1 test from 1 test suite.
[       OK ] Reader.Takes (0 ms)
[  PASSED  ] 1 test.
'''


def entry(result, stdout='', stderr=''):
    return {'result': result, 'stdout': stdout, 'stderr': stderr}


class CountCases(unittest.TestCase):
    def test_gtest_cases_are_counted_once_each(self):
        self.assertEqual(summary.count_cases(entry('FAIL', GTEST)), (1, 2, 0))

    def test_crash_after_good_cases_is_one_failure(self):
        self.assertEqual(summary.count_cases(entry('FAIL', GTEST_ALL_OK)), (1, 1, 0))

    def test_timeout_of_a_silent_program_is_one_failure(self):
        self.assertEqual(summary.count_cases(entry('TIMEOUT')), (0, 1, 0))

    def test_plain_program_is_one_case(self):
        self.assertEqual(summary.count_cases(entry('OK', 'fine')), (1, 0, 0))

    def test_filter_that_matches_nothing_counts_nothing(self):
        none = '[==========] Running 0 tests from 0 test suites.\n[  PASSED  ] 0 tests.\n'
        self.assertEqual(summary.count_cases(entry('OK', none)), (0, 0, 0))

    def test_skipped_program_is_neither_passed_nor_failed(self):
        self.assertEqual(summary.count_cases(entry('SKIP')), (0, 0, 1))

    def test_unittest_cases_are_counted(self):
        good = entry('OK', stderr='Ran 7 tests in 0.001s\n\nOK (skipped=1)\n')
        bad = entry('FAIL', stderr='Ran 7 tests in 0.001s\n\nFAILED (failures=1, errors=2)\n')
        self.assertEqual(summary.count_cases(good), (6, 0, 1))
        self.assertEqual(summary.count_cases(bad), (4, 3, 0))


class AddUp(unittest.TestCase):
    def test_sums_all_programs(self):
        self.assertEqual(summary.add_up([entry('OK', GTEST_ALL_OK), entry('TIMEOUT')]), (1, 1, 0))

    def test_no_program_is_zero(self):
        self.assertEqual(summary.add_up([]), (0, 0, 0))


if __name__ == '__main__':
    unittest.main()
