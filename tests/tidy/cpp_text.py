"""Just enough understanding of C++ text for the tree's rules: no comments, no strings, blocks.

Nothing here parses C++. clang-format has made the layout regular, and the rules need only to know
what is code and where a function's braces are.
"""
import re

_TOKEN = re.compile(
    r'//[^\n]*'                                    # line comment
    r'|/\*.*?\*/'                                  # block comment
    r'|R"(?P<mark>[^()\\ ]*)\(.*?\)(?P=mark)"'     # raw string
    r'|"(?:\\.|[^"\\\n])*"'                        # string
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",      # character, but not the ' of 1'000
    re.S)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
_DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
_CONTAINER = re.compile(r'\b(?:class|struct|union|enum|namespace)\b|\bextern\s*"\s*"$')
# `Thing() : first_(1), second_{`: the brace holds a member's value, the body is still to come.
_MEMBER_INITIALISER = re.compile(r'\)[^:]*(?<!:):(?!:)(?:[^{;]*[\s,:])?\w+\s*$')
_PARENTHESES = '\0'


def _blank(text):
    """The same number of lines and columns, and nothing to see."""
    return re.sub(r'[^\n]', ' ', text)


def without_comments(text):
    """`text` with comments blanked; strings stay, since includes and paths live in them."""
    return _TOKEN.sub(lambda m: _blank(m[0]) if m[0].startswith(('//', '/*')) else m[0], text)


def code_of(text):
    """`text` with comments and the insides of strings blanked, line by line as before."""
    def blank(match):
        token = match[0]
        if token.startswith(('//', '/*')):
            return _blank(token)
        return token[0] + _blank(token[1:-1]) + token[-1]
    return _TOKEN.sub(blank, text)


def includes(text):
    """(line, is_quoted, path) of every #include."""
    text = without_comments(text)
    return [(text.count('\n', 0, m.start(2)) + 1, m[1] == '"', m[2])
            for m in _INCLUDE.finditer(text)]


def _opens_function(head):
    """Whether the brace after `head` (the text since the last `;`, `{` or `}`) opens a function."""
    head = re.sub(r'\boperator\s*(?:\(\)|[^\s\w(]+)', 'operator', head)
    # Innermost first, so that default arguments and template parameters disappear.
    for brackets, mark in ((r'\([^()]*\)', _PARENTHESES), (r'<[^<>]*>', '')):
        previous = None
        while head != previous:
            previous, head = head, re.sub(brackets, mark, head)
    head = head.strip()
    if re.search(rf'\]\s*{_PARENTHESES}?[\s\w:&*>-]*$', head):
        return True  # A lambda, also when it is an initialiser.
    return _PARENTHESES in head and not _CONTAINER.search(head) and '=' not in head


def functions(text):
    """(first_line, line_count) of every outermost function body, braces included."""
    code = _DIRECTIVE.sub(lambda m: _blank(m[0]), code_of(text))
    found, line = [], 1
    head = ''     # What stands before the next brace.
    blocks = []   # Of each open brace: the line of a function's, None, or the head to go on with.
    in_function = False
    for char in code:
        if char == '\n':
            line += 1
        if char == '{' and not in_function and _MEMBER_INITIALISER.search(head):
            blocks.append(head + '()')
            head = ''
        elif char == '{':
            opens = not in_function and _opens_function(head)
            in_function = in_function or opens
            blocks.append(line if opens else None)
            head = ''
        elif char == '}' and blocks:
            block = blocks.pop()
            head = block if isinstance(block, str) else ''
            if isinstance(block, int):
                found.append((block, line - block + 1))
                in_function = False
        else:
            head = '' if char == ';' else head + char
    return found
