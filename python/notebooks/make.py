"""Writes the notebooks of this folder from the cells below, so that their texts are reviewed as text: python make.py"""

import json
import pathlib

NOTEBOOKS = {
    "first-protocol": [
        "# A first protocol, its bug and its repair\n\nAgents on a complete graph meet in pairs. We want one leader, from every configuration.",
        ">import ringleader as rl",
        "Two leaders meet, one resigns: the first idea of everybody.",
        '>def duel(a, b):\n    """Two leaders meet, one resigns."""\n    if a == b == "leader":\n        return ("leader", "follower")\n\n\n'
        'protocol = rl.Protocol.population(["follower", "leader"], duel, leader=lambda s: s == "leader")\nresult = protocol.check(4)\nresult',
        "It fails: a configuration without a leader stays without one. The counterexample is a sequence of configurations.",
        ">result.counterexample.configurations",
        "One run from all leaders looks fine, which is why a simulation alone does not find this bug:",
        '>protocol.elect(12, start="all-leaders", seed=1)',
        "The repair: ranks. Equal ranks meet, one takes the next; in the end all ranks are taken once, and rank 0 leads (Cai, Izumi and Wada).",
        '>def ranks(n):\n    def rank(a, b):\n        """Equal ranks meet, one takes the next rank."""\n        return (a, (b + 1) % n) if a == b else None\n\n'
        "    return rl.Protocol.population(\n        range(n), rank, leader=lambda rank: rank == 0, safe=lambda ranks: len(set(ranks)) == n\n    )\n\n\n"
        "repaired = ranks(4).check(4)\nrepaired",
        ">assert repaired.holds and repaired.own_safe_closed\nrepaired.expected_steps.to_really_safe.worst",
        "The same number from the exported Markov chain, by numpy and scipy:",
        ">chain = ranks(4).chain(4)\nsteps = chain.expected_steps()\nlow, high = rl.bounds(repaired.expected_steps.to_really_safe.worst)\n"
        "assert abs(steps.max() - low) < 1e-6\nsteps.max(), chain",
        "A run with a fault: two of the four agents get arbitrary states, and the protocol heals.",
        ">ranks(4).elect(4, seed=3, corrupt=2)",
    ],
    "yokota-table-1": [
        "# Table 1 of Yokota, Sudo and Masuzawa\n\nThe paper compares protocols on directed rings by their states and by the growth of their expected "
        "steps. We measure the growth of two of them: the time-optimal one (Θ(n²)) and that of Angluin et al. (Θ(n³)), which needs odd sizes.",
        ">import ringleader as rl\n\nnames = ['yokota-ring', 'angluin-ring']\n[(name, rl.Protocol(name).card['states']) for name in names]",
        ">sizes = [5, 9, 15, 25]\nmeasured = {name: rl.simulate(name, sizes, runs=60, seed=1) for name in names}\n"
        "{name: round(result.exponent['value'], 2) for name, result in measured.items()}",
        "The exponents of small sizes are near those of the paper; larger sizes and more runs bring them nearer.",
        ">assert 1.5 < measured['yokota-ring'].exponent['value'] < 2.6\nassert measured['angluin-ring'].exponent['value'] > measured['yokota-ring'].exponent['value']",
        ">import pandas\n\npandas.concat({name: result.to_pandas() for name, result in measured.items()}).loc[:, ['size', 'mean_steps', 'median', 'p90', 'max']]",
        ">from matplotlib import pyplot\n\nfor result in measured.values():\n    axes = result.plot()\naxes.legend();",
        "The checker knows the exact worst case of small rings:",
        ">exact = rl.check('yokota-ring', 3)\nexact.holds, exact.expected_steps.to_own_safe.worst if exact.expected_steps.to_own_safe else None",
        ">print(rl.Protocol('yokota-ring').bibtex)",
    ],
    "franklin-curves": [
        "# The curves of Franklin A and B\n\nBakhshi, Fokkink, Pang and van de Pol make Franklin's algorithm anonymous: processes draw identities, "
        "and draw again in every round. In variant B they keep an identity that was unique. Rings of four processes with two identities, in the algorithm's own steps "
        "(`reading='both'` has those of the paper's Table 1, six times as many states). The probability of a leader within t steps, under the worst, the uniform "
        "and the best scheduler:",
        ">import ringleader as rl\nfrom matplotlib import pyplot\n\ncurves = {v: rl.Protocol('franklin', ids=2, variant=v).check(4, within=90) for v in 'ab'}\n"
        "{variant: result.holds for variant, result in curves.items()}",
        ">for variant, result in curves.items():\n    table = result.within\n    lines = pyplot.plot(table['t'], table['uniform'], label=f'variant {variant}, uniform')\n"
        "    pyplot.fill_between(table['t'], table['min'], table['max'], alpha=0.15, color=lines[0].get_color())\n"
        "pyplot.xlabel('t steps')\npyplot.ylabel('probability of a leader within t steps')\npyplot.legend();",
        ">for result in curves.values():\n    for worst, uniform, best in zip(*(result.within[kind] for kind in ('min', 'uniform', 'max'))):\n"
        "        assert worst <= uniform + 1e-12 and uniform <= best + 1e-12",
        ">{variant: result.expected_messages for variant, result in curves.items()}",
        "Without the round bit the algorithm is wrong, and the check finds a run after which every process is passive:",
        ">flawed = rl.Protocol('franklin-no-bit', ids=3).check(3)\nassert not flawed.holds\nflawed",
    ],
    "law-to-figure": [
        "# From a growth law to a figure for a paper",
        ">import ringleader as rl\nfrom matplotlib import pyplot\n\nresult = rl.simulate('yokota-ring', [8, 16, 32, 64], runs=80, seed=4)\nresult",
        "The laws that were fitted, the nearest first, and those that the data do not distinguish from it:",
        ">growth = result.growth\n{key: growth[key] for key in ('nearest', 'local_exponents') if key in growth}",
        ">figure, axes = pyplot.subplots(figsize=(4, 3))\nresult.plot(axes)\nn = result.sizes['size']\nmean = result.sizes['mean_steps']\n"
        "axes.plot(n, [mean[0] * (x / n[0]) ** 2 for x in n], '--', label='$n^2$')\naxes.legend()\nfigure.tight_layout()",
        "`figure.savefig('growth.pdf')` writes it for the paper; `result.save_tikz('growth.tex')` writes the plot of the command line as TikZ.",
        ">assert result.tikz.startswith('\\\\begin{tikzpicture}')\nprint(result.tikz[:200])",
        ">rl.elect('yokota-ring', 24, seed=2)",
        ">import polars\n\npolars.DataFrame(result.runs).group_by('size').agg(polars.col('steps').mean()).sort('size')",
    ],
}


def cell(text: str, number: int) -> dict:
    code = text.startswith(">")
    source = (text[1:] if code else text).splitlines(keepends=True)
    common = {"id": f"cell-{number}", "metadata": {}, "source": source}
    if code:
        return {"cell_type": "code", **common, "execution_count": None, "outputs": []}
    return {"cell_type": "markdown", **common}


def main() -> None:
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for name, cells in NOTEBOOKS.items():
        book = {
            "cells": [cell(text, number) for number, text in enumerate(cells)],
            "metadata": {**kernel, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = pathlib.Path(__file__).parent / f"{name}.ipynb"
        path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
