"""Writes docs/python-reference.md: every name that the module gives, with its signature and what it says of itself.

Signatures of the compiled part are those of its stubs, and its doc strings those of the built module. `--check` fails
where the file says something else.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, Union

import reprise

PACKAGE = Path(__file__).parent / "python" / "reprise"
PAGE = Path(__file__).parents[2] / "docs" / "python-reference.md"
HEAD = """# The Python module: reference

`edge/python/reference.py` makes this page from the module's signatures and doc strings, which `help(reprise)`
shows, too. [python.md](python.md) shows how to use them.
"""

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
Definition = Union[ast.ClassDef, Function]


def definitions(*files: Path) -> dict[str, Definition]:
    """The classes and functions of files by name."""
    nodes = [node for file in files for node in ast.parse(file.read_text()).body]
    return {node.name: node for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def is_property(node: Function) -> bool:
    return any(isinstance(it, ast.Name) and it.id == "property" for it in node.decorator_list)


def signature(node: Function, name: str) -> str:
    """As it is called, without `self`."""
    arguments = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(arguments, ast.FunctionDef)
    own = arguments.args
    if own.args and own.args[0].arg in ("self", "cls"):
        del own.args[0]
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{name}({ast.unparse(own)}){gives}"


def said(node: Definition, live: Any) -> str:
    """What it says of itself: in the built module, or in its source."""
    return " ".join((inspect.getdoc(live) or ast.get_docstring(node) or "").split())


def members(node: ast.ClassDef, live: Any) -> Iterator[str]:
    """A line for each public member, in the order of the source."""
    before: Optional[ast.AnnAssign] = None
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            before = item
        elif isinstance(item, ast.Expr) and before is not None and isinstance(item.value, ast.Constant):
            text = " ".join(str(item.value.value).split())
            yield f"- `{ast.unparse(before.target)}: {ast.unparse(before.annotation)}`: {text}"
            before = None
        elif isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            text = said(item, getattr(live, item.name, None))
            gives = ast.unparse(item.returns) if item.returns else "Any"
            head = f"{item.name}: {gives}" if is_property(item) else signature(item, item.name)
            yield f"- `{head}`" + (f": {text}" if text else "")


def page() -> str:
    """The page."""
    compiled, written = definitions(PACKAGE / "_reprise.pyi"), definitions(*PACKAGE.glob("*.py"))
    parts = [HEAD]
    for name in sorted(reprise.__all__, key=lambda it: (not it.islower(), it.lower())):
        live = getattr(reprise, name)
        # Python code may add to a compiled class.
        nodes = [known[name] for known in (compiled, written) if name in known]
        if isinstance(nodes[-1], ast.FunctionDef):
            parts.append(f"## `{signature(nodes[-1], f'reprise.{name}')}`\n\n{said(nodes[-1], live)}\n")
            continue
        lines = [line for node in nodes if isinstance(node, ast.ClassDef) for line in members(node, live)]
        of = live.__bases__[0].__name__
        kind = f"Raised, as a kind of `{of}`: " if issubclass(live, Exception) else ""
        parts.append("\n".join([f"## `{name}`", "", f"{kind}{said(nodes[-1], live)}", *[""][: len(lines)], *lines, ""]))
    return "\n".join(parts)


def main() -> int:
    made = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made)
        return 0
    if PAGE.read_text() == made:
        return 0
    print(f"{PAGE} is not what the module says of itself: run edge/python/reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
