"""The words of an expression, with their places, before the grammar sees them.

The grammar's own scanner knows only line numbers, has escapes of its own and speaks of template tags. Ours knows
offsets, finds what people bring along from other languages, and hands over text in which nothing is left to interpret.
"""

import re

import attrs

from planner.expressions.faults import ExpressionFault

MAX_SOURCE = 5_000
"""Characters of one expression; keeps compiling cheap whoever wrote it."""
MAX_BRACKETS = 24
"""Brackets inside brackets; far below what the recursive grammar could take on a deep stack."""

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>[0-9](?:_?[0-9])*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<operator>===|!==|&&|\|\||\*\*|\?\?|\?\.|//|==|!=|>=|<=|[-+*/%~.,:|()\[\]{}<>=!?])""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "/": "/", '"': '"', "'": "'"}
_CLOSES = {")": "(", "]": "[", "}": "{"}
_FOREIGN = {
    "&&": "write `and`",
    "||": "write `or`",
    "!": "write `not`",
    "===": "write `==`",
    "!==": "write `!=`",
    "**": "there are no powers; multiply, or let a tool compute it",
    "?": "write `b if a else c` for `a ? b : c`",
    "??": "write `a or b`, or `a | default(b)` if a may be missing",
    "?.": "write `.` and `| default(…)` after the whole path",
}


@attrs.frozen
class Token:
    """One word of an expression."""

    text: str
    """As the grammar reads it; a string literal is spelled anew, in ASCII and on one line."""
    offset: int
    kind: str
    """`string`, `number`, `name` or `operator`."""


def tokenize(text: str) -> tuple[Token, ...]:
    """Split an expression into its words.

    Raises:
        ExpressionFault: Something in it is no word of the language, a bracket has no partner, or it is too large.
    """
    if len(text) > MAX_SOURCE:
        message = f"this expression has {len(text)} characters, more than {MAX_SOURCE}"
        raise ExpressionFault(message, offset=0, hint="split the work into tasks, or let a tool do it")
    tokens: list[Token] = []
    brackets: list[Token] = []
    position = _after_space(text, 0)
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unexpected(text, position)
        token = Token(match[0], position, str(match.lastgroup))
        position = _after_space(text, match.end())
        tokens.append(_checked(token, text, tokens))
        _pair(token, brackets)
    if brackets:
        raise ExpressionFault(f"`{brackets[-1].text}` is never closed", offset=brackets[-1].offset)
    return tuple(tokens)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _unexpected(text: str, position: int) -> ExpressionFault:
    character = text[position]
    if character in "\"'":
        return ExpressionFault(f"the text that starts with {character} is never closed", offset=position)
    hints = {
        "$": "an expression names values without `$`, `${` and `}`",
        "`": "quote text with ' or \"",
        "&": "write `and`",
        "^": "there are no bit operators",
        "\\": "a backslash stands only inside quoted text",
        ";": "an expression is one value; there are no statements",
    }
    return ExpressionFault(f"{character!r} is not expected here", offset=position, hint=hints.get(character, ""))


def _checked(token: Token, text: str, before: list[Token]) -> Token:
    match token.kind:
        case "string":
            return Token(_spell(token), token.offset, "string")
        case "number":
            _check_number(token, text, before)
        case "name":
            if not token.text.isidentifier():
                raise ExpressionFault(f"{token.text!r} cannot be a name", offset=token.offset, hint='write `["key"]`')
        case _:
            _check_operator(token, before)
    return token


def _check_number(token: Token, text: str, before: list[Token]) -> None:
    after = text[token.offset + len(token.text) :][:1]
    if before and before[-1].text == "." and before[-1].offset == token.offset - 1:
        raise ExpressionFault(
            "a list item is not read with `.`", offset=token.offset - 1, hint=f"write `[{token.text}]`"
        )
    if after == "_" or after.isalnum():
        raise ExpressionFault(f"`{token.text}{after}…` is neither a number nor a name", offset=token.offset)
    whole = token.text.split(".")[0]
    if len(whole) > 1 and whole[0] == "0":
        stripped = token.text.lstrip("0_") or "0"
        hint = f"write `{stripped}`, or quote it if it is a text"
        raise ExpressionFault(f"`{token.text}` starts with a needless 0", offset=token.offset, hint=hint)


def _check_operator(token: Token, before: list[Token]) -> None:
    hint = _FOREIGN.get(token.text)
    if hint is not None:
        raise ExpressionFault(f"`{token.text}` is not an operator here", offset=token.offset, hint=hint)
    names_argument = len(before) > 1 and before[-1].kind == "name" and before[-2].text in ("(", ",")
    if token.text == "=" and not names_argument:
        raise ExpressionFault("`=` does not compare", offset=token.offset, hint="write `==`")


def _pair(token: Token, brackets: list[Token]) -> None:
    if token.kind != "operator":
        return
    if token.text in _CLOSES.values():
        brackets.append(token)
        if len(brackets) > MAX_BRACKETS:
            message = f"more than {MAX_BRACKETS} brackets inside one another"
            raise ExpressionFault(message, offset=token.offset, hint="split the work into tasks, or let a tool do it")
    elif token.text in _CLOSES:
        if not brackets:
            raise ExpressionFault(f"`{token.text}` closes nothing", offset=token.offset)
        opened = brackets.pop()
        if opened.text != _CLOSES[token.text]:
            raise ExpressionFault(f"`{token.text}` cannot close `{opened.text}`", offset=token.offset)


def _spell(token: Token) -> str:
    """A string literal in the one spelling that every reader of it understands alike."""

    def decoded(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        if escape not in _ESCAPES:
            message = f"`\\{escape}` means nothing in a text"
            raise ExpressionFault(message, offset=token.offset + 1 + match.start(), hint="write `\\\\` for a backslash")
        return _ESCAPES[escape]

    value = _ESCAPE.sub(decoded, token.text[1:-1])
    try:
        value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        message = "this text holds half of a character (a lone surrogate)"
        raise ExpressionFault(message, offset=token.offset, hint="write the character itself, or both halves") from None
    return '"' + value.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'
