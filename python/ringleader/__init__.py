"""Leader election that heals itself, from Python: write a protocol, then check, explore, simulate and prove it.

>>> import ringleader as rl
>>> def duel(a, b):
...     "Two leaders meet, one resigns."
...     return ("leader", "follower") if a == b == "leader" else None
>>> protocol = rl.Protocol.population(["follower", "leader"], duel, leader=lambda s: s == "leader", graph="complete")
>>> result = protocol.check(3)
>>> result.holds, result.counterexample[0]
(False, ('follower', 'follower', 'follower'))
"""

from . import errors, experiments, results, values
from ._engine import __version__
from .errors import Interrupted
from .experiments import ElectResult, LooseResult, NetworkResult, SimulateResult
from .matrices import Chain, ExploreResult
from .protocol import Protocol, algorithms, chain, check, elect, explore, prove, search, simulate
from .results import *
from .rules import product
from .tables import Table
from .values import bounds

__all__ = [
    *results.__all__,
    "Chain",
    "ElectResult",
    "ExploreResult",
    "Interrupted",
    "LooseResult",
    "NetworkResult",
    "Protocol",
    "SimulateResult",
    "Table",
    "__version__",
    "algorithms",
    "bounds",
    "chain",
    "check",
    "elect",
    "errors",
    "experiments",
    "explore",
    "product",
    "prove",
    "results",
    "search",
    "simulate",
    "values",
]
