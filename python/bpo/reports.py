"""Tables, figures and pages, shown inline by Jupyter."""

import html
import json
import os
from typing import List, Mapping, Optional, Sequence, Union

from ._library import core
from ._said import assignments, directories


class Table:
    """Rows of text, the first of which is the header.

    >>> bpo.options("tiger").rows[0]
    """

    def __init__(self, rows: Sequence[Sequence[str]], right: Sequence[int] = ()):
        self.rows = [list(row) for row in rows]
        self.right = set(right)

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = []
        for row in self.rows:
            cells = [cell.rjust(w) if i in self.right else cell.ljust(w)
                     for i, (cell, w) in enumerate(zip(row, widths))]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines) + "\n"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(row, tag):
            cells = (f"<{tag} style='text-align:{'right' if i in self.right else 'left'}'>"
                     f"{html.escape(cell)}</{tag}>" for i, cell in enumerate(row))
            return "<tr>" + "".join(cells) + "</tr>"

        body = "".join(line(row, "td") for row in self.rows[1:])
        return f"<table><thead>{line(self.rows[0], 'th')}</thead><tbody>{body}</tbody></table>"


class Figure:
    """An SVG, the same as on the page, and what it shows.

    >>> bpo.report(["runs/t"], episodes=100).figures[0].save("figure.svg")
    """

    def __init__(self, svg: str, caption: str = ""):
        self.svg, self.caption = svg, caption

    def __repr__(self) -> str:
        return f"bpo.Figure({self.caption[:60]!r})"

    def _repr_html_(self) -> str:
        return f"<figure>{self.svg}<figcaption>{html.escape(self.caption)}</figcaption></figure>"

    def save(self, path) -> None:
        """Writes the SVG."""
        core.write_file(os.fspath(path), self.svg)


class Comparison:
    """Policies side by side on the same episodes, each compared with the first.

    >>> print(bpo.compare(["runs/t", "runs/up-mle"], episodes=100).latex)
    """

    def __init__(self, compared):
        self._compared = compared
        self.notes: List[str] = compared.notes
        self.csv: str = compared.csv
        self.latex: str = compared.latex
        self.markdown: str = compared.markdown

    def table(self) -> Table:
        """As `bpo compare` prints it."""
        return Table(self._compared.rows, self._compared.right)

    def numbers(self) -> Table:
        """A number per cell, all digits."""
        return Table(self._compared.numbers)

    def json(self):
        """As `bpo compare --json` prints it."""
        return json.loads(self._compared.json)

    def __str__(self) -> str:
        return self._compared.text + "".join(note + "\n" for note in self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return self.table()._repr_html_() + notes


class Page:
    """A page of figures that needs nothing but itself.

    >>> bpo.report(["runs/t"], episodes=100).save("page.html")
    """

    def __init__(self, text: str, figures: Sequence):
        self.html = text
        self.figures = [Figure(svg, caption) for svg, caption in figures]

    def __repr__(self) -> str:
        return f"bpo.Page({len(self.figures)} figures, {len(self.html) // 1024} KB)"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" '
                'style="width:100%;height:600px;border:0"></iframe>')

    def save(self, path) -> None:
        """Writes the page into a file."""
        core.write_file(os.fspath(path), self.html)


Options = Optional[Mapping[str, object]]


def compare(runs, episodes: int = 0, seed: int = 0, greedy: bool = False, set: Options = None,
            threads: int = 0) -> Comparison:
    """Runs, or parents of seed-* runs, on the same episodes: `bpo compare`.

    >>> bpo.compare(["runs/t", "runs/up-mle"]).table()
    """
    return Comparison(core.compare(directories(runs), episodes, seed, greedy, assignments(set),
                                   threads))


def report(runs, out: Union[str, os.PathLike, None] = None, title: str = "", episodes: int = 0,
           seed: int = 0, episode: int = 0, greedy: bool = False, set: Options = None,
           threads: int = 0) -> Page:
    """A page about runs, written into `out` if that is given: `bpo report`.

    >>> bpo.report(["runs/t"], "page.html").figures[0]
    """
    page = Page(*core.page(directories(runs), title, episodes, seed, episode, greedy,
                           assignments(set), threads))
    if out is not None:
        page.save(out)
    return page
