"""Runs every notebook from its first cell to its last, and draws what a notebook would show: python run_notebooks.py FOLDER [PAGES]

The cells are plain Python, so no kernel is started: they run one after the other in this interpreter. A value on the last line of a cell is shown
by its `_repr_html_`, `_repr_svg_` or `repr`, and every figure of matplotlib is drawn. With PAGES, a folder, each notebook is written there as a
page, to look at.
"""

import ast
import base64
import html
import io
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("MPLBACKEND", "agg")
from matplotlib import pyplot  # noqa: E402


def run(source, names):
    """Runs a cell; the value of its last line, if that is an expression that does not end in a semicolon."""
    body = ast.parse(source)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    exec(compile(body, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def shown(value):
    """A value as a notebook shows it."""
    if value is None:
        return ""
    for name in ("_repr_html_", "_repr_svg_"):
        page = getattr(value, name, lambda: None)()
        if page:
            return page
    return f"<pre>{html.escape(repr(value))}</pre>"


def figures():
    """The open figures, as pictures."""
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=80)
        yield f'<img src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'
    pyplot.close("all")


def page(path):
    names = {"__name__": "__main__"}
    yield f'<meta charset="utf-8"><body style="font: 14px sans-serif; width: 60em"><h1>{path.name}</h1>'
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        yield f'<pre style="background: #eee; white-space: pre-wrap">{html.escape(source)}</pre>'
        if cell["cell_type"] == "code":
            yield shown(run(source, names))
            yield from figures()


def main(folder, pages=None):
    for path in sorted(pathlib.Path(folder).glob("*.ipynb")):
        begun = time.monotonic()
        whole = "\n".join(page(path))
        if pages is not None:
            (pathlib.Path(pages) / f"{path.stem}.html").write_text(whole, encoding="utf-8")
        print(f"{path.name}: {whole.count('<svg')} drawings and {whole.count('<img')} plots in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
