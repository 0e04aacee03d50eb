#!/usr/bin/env python3
"""Sums test cases over all test programs of one `meson test` run.

Usage: summary.py TESTLOG.json      prints `N passed, N failed`, exit code 1 unless all is well
       summary.py --gtest-names     reads `meson introspect --tests`, prints the GoogleTest programs

Meson counts programs; one program holds many cases. The log keeps what each program printed, so
cases are counted from there: GoogleTest's and unittest's own reports, one case for any other
program. A program that failed without naming a failed case (a crash, a timeout, a sanitizer's
report at exit) counts as one failed case, so a failure never disappears from the sum.
"""
import collections
import json
import re
import sys

Count = collections.namedtuple('Count', 'passed failed skipped')

CASES_RAN = re.compile(r'^\[=+\] Running \d+ tests? from', re.M)
CASE_PASSED = re.compile(r'^\[ +OK \] (?=\S+ \(\d+ ms\))', re.M)
CASE_FAILED = re.compile(r'^\[ +FAILED +\] (?=\S+.*\(\d+ ms\))', re.M)
CASE_SKIPPED = re.compile(r'^\[ +SKIPPED +\] (?=\S+ \(\d+ ms\))', re.M)
UNITTEST_RAN = re.compile(r'^Ran (\d+) tests? in ', re.M)
UNITTEST_VERDICT = re.compile(r'^(?:OK|FAILED)(?: \((.*)\))?$', re.M)

# What meson calls a program that did what was expected of it.
GOOD = ('OK', 'EXPECTEDFAIL')


def count_unittest(text):
    """Cases of a Python unittest run, or None when `text` does not end like one."""
    ran = UNITTEST_RAN.search(text)
    verdict = UNITTEST_VERDICT.search(text, ran.end()) if ran else None
    if not verdict:
        return None
    numbers = dict(re.findall(r'(\w+)=(\d+)', verdict[1] or ''))
    failed = int(numbers.get('failures', 0)) + int(numbers.get('errors', 0))
    skipped = int(numbers.get('skipped', 0))
    return Count(int(ran[1]) - failed - skipped, failed, skipped)


def count_cases(entry):
    """Cases of one program, from its entry in meson's log."""
    text = (entry.get('stdout') or '') + '\n' + (entry.get('stderr') or '')
    good = entry['result'] in GOOD
    if entry['result'] == 'SKIP':
        return Count(0, 0, 1)
    if CASES_RAN.search(text):
        count = Count(*(len(p.findall(text)) for p in (CASE_PASSED, CASE_FAILED, CASE_SKIPPED)))
    else:
        count = count_unittest(text) or Count(int(good), int(not good), 0)
    if not good and count.failed == 0:
        count = count._replace(failed=1)
    return count


def add_up(entries):
    """The sum over all programs."""
    counts = [count_cases(entry) for entry in entries]
    return Count(*(sum(column) for column in zip(*counts))) if counts else Count(0, 0, 0)


def main(arguments):
    if arguments == ['--gtest-names']:
        for test in json.load(sys.stdin):
            if test.get('protocol') == 'gtest':
                print(test['name'])
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding='utf-8') as log:
        total = add_up([json.loads(line) for line in log if line.strip()])
    if total.passed + total.failed == 0:
        print('no test matched')
    if total.skipped:
        print(f'{total.skipped} skipped')
    print(f'{total.passed} passed, {total.failed} failed', flush=True)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
