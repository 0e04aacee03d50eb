#!/usr/bin/env python3
"""Holds the tree to its rules (design-notes style): prints `file:line: what is wrong`.

Usage: tidy.py PROJECT_DIR      exit code 1 when anything is found
"""
import sys

import rules


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    tree = rules.Tree.read(arguments[0])
    found = [finding for rule in rules.ALL for finding in rule(tree)]
    for name, line, what in sorted(found):
        print(f'{name}:{line}: {what}' if line else f'{name}: {what}')
    print(f'tidy: {len(tree.files)} files, {len(rules.ALL)} rules, {len(found)} findings')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
