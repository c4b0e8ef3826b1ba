"""The exceptions of this package that Python does not have already."""

from __future__ import annotations

from typing import Any


class Interrupted(KeyboardInterrupt):
    """Long work was interrupted; :attr:`partial` has what was known until then.

    For ``simulate``, ``elect``, ``prove`` and ``search`` that is a result like that of the whole work, over fewer runs, steps or tables. For
    ``check``, ``explore`` and ``chain`` it is a dictionary: ``phase``, the phase that was interrupted; ``done``, its progress; ``known``, the
    findings so far; a ``check`` that has its verdict but not all its figures also has them, as ``decided``.
    """

    def __init__(self, partial: Any) -> None:
        super().__init__("interrupted; .partial has what was known until then")
        self.partial = partial
