"""Matrices, tables and graphs, for the tools that researchers use."""

import pytest

import ringleader as rl

numpy = pytest.importorskip("numpy")
pytest.importorskip("scipy")


CHAINS = [
    ("fischer-jiang-ring", 3, False),
    ("fischer-jiang-ring", 4, True),
    ("fischer-jiang-complete", 5, False),
    ("cai-izumi-wada", 4, False),
]


@pytest.mark.parametrize(("name", "n", "rotation"), CHAINS)
def test_expected_steps_of_the_exported_chain_lie_in_the_checkers_intervals(name, n, rotation):
    chain = rl.Protocol(name).chain(n, scheduler="random", rotation=rotation)
    times = rl.check(name, n, scheduler="random").expected_steps
    steps = chain.expected_steps("really_safe")
    assert numpy.isfinite(steps).all()
    low, high = rl.bounds(times.to_really_safe.worst)
    slack = 1e-9 * high
    assert low - slack <= steps.max() <= high + slack
    if not rotation:
        low, high = rl.bounds(times.to_really_safe.mean)
        assert low - slack <= steps.mean() <= high + slack
        worst = chain.configurations.index(times.to_really_safe.worst_start)
        assert steps[worst] == pytest.approx(steps.max())


def test_a_chain_is_stochastic_and_labelled():
    chain = rl.Protocol("fischer-jiang-ring").chain(3)
    assert chain.is_chain and chain.matrix.shape == (chain.states, chain.states)
    assert numpy.allclose(chain.matrix.sum(axis=1), 1)
    assert chain.labels["really_safe"].sum() == rl.explore("fischer-jiang-ring", 3).really_safe
    assert "Markov chain" in repr(chain) and len(chain.configurations) == chain.states
    assert f"{chain.labels['really_safe'].sum()} states" in chain._repr_html_()
    with pytest.raises(ValueError, match="no set is called"):
        chain.expected_steps("happy")


def test_a_decision_process_has_choices():
    process = rl.Protocol("fich-johnen").chain(3)
    assert not process.is_chain and process.matrix.shape[0] == process.groups[-1] == len(process.choice_names)
    assert numpy.allclose(process.matrix.sum(axis=1), 1)
    with pytest.raises(ValueError, match="scheduler"):
        process.expected_steps()
    messages = rl.Protocol("franklin", ids=2).chain(2)
    assert messages.start == 0 and set(messages.costs) == {"steps", "messages"} and messages.labels["elected"].any()
    table = process.transitions()
    assert len(table) == process.matrix.nnz and max(table["state"]) == process.states - 1


def test_networkx():
    networkx = pytest.importorskip("networkx")
    chain = rl.Protocol("fischer-jiang-complete").chain(3)
    graph = chain.to_networkx()
    assert graph.number_of_nodes() == 8 and graph.nodes[0]["configuration"] == chain.configurations[0]
    assert networkx.is_directed(graph)
    out = sum(edge["probability"] for _, _, edge in graph.out_edges(3, data=True))
    assert out == pytest.approx(1)
    with pytest.raises(ValueError, match="too many"):
        chain.to_networkx(most=3)


def test_stormpy_agrees():
    stormpy = pytest.importorskip("stormpy")
    formula = stormpy.parse_properties('R{"steps"}=? [F "really_safe"]')[0]
    for name, n in (("fischer-jiang-complete", 4), ("cai-izumi-wada", 3), ("fischer-jiang-ring", 3)):
        chain = rl.Protocol(name).chain(n, scheduler="random")
        found = stormpy.model_checking(chain.to_stormpy(), formula, only_initial_states=False)
        # The name of the vector differs between versions 1 and 2.
        values = list(map(float, found.get_value_vector() if hasattr(found, "get_value_vector") else found.get_values()))
        assert values == pytest.approx(chain.expected_steps(), rel=1e-5)
        low, high = rl.bounds(rl.check(name, n, scheduler="random").expected_steps.to_really_safe.worst)
        assert max(values) == pytest.approx(low, rel=1e-5) and max(values) == pytest.approx(high, rel=1e-5)
    process = rl.Protocol("fich-johnen").chain(3)
    assert process.to_stormpy().nr_states == process.states
    messages = rl.Protocol("franklin", ids=2).chain(2)
    assert messages.to_stormpy().nr_choices >= messages.groups[-1]


def test_a_drn_file_is_that_of_the_command_line(tmp_path):
    chain = rl.Protocol("fischer-jiang-complete").chain(2)
    chain.to_drn(tmp_path / "two.drn")
    lines = (tmp_path / "two.drn").read_text().splitlines()
    assert lines[0] == "@type: DTMC" and lines[lines.index("@nr_states") + 1] == "4"
    assert sum(line.startswith("state ") for line in lines) == 4


def simulated():
    return rl.simulate("yokota-ring", [8, 16], runs=5, seed=1)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    result = simulated()
    frame = result.runs.to_pandas()
    assert list(frame.columns)[:3] == ["size", "run", "reached"] and len(frame) == 10
    assert frame.groupby("size")["steps"].mean().tolist() == pytest.approx(result.to_pandas()["mean_steps"].tolist())
    gaps = rl.Table({"a": [1, None]}).to_pandas()
    assert gaps["a"].dtype == pandas.Int64Dtype()


def test_arrow_without_a_copy():
    polars = pytest.importorskip("polars")
    result = simulated()
    frame = polars.DataFrame(result.runs)
    assert frame["steps"].to_list() == result.runs["steps"] and frame["reached"].dtype == polars.Boolean
    assert result.sizes.to_polars()["mean_steps"].to_list() == result.sizes["mean_steps"]
    table = rl.Table({"i": [1, None], "f": [0.5, 2], "b": [True, None], "s": ["x", "é"], "big": [2**63, 1]})
    assert polars.DataFrame(table).rows() == [(1, 0.5, True, "x", 2**63), (None, 2.0, None, "é", 1)]
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.table(table)
    assert arrow.column("s").to_pylist() == ["x", "é"] and arrow.schema.field("i").type == pyarrow.int64()
    assert pyarrow.table(rl.Table({"empty": []})).num_rows == 0


def test_the_same_text_in_svg_tikz_and_bibtex(tmp_path):
    result = rl.elect("yokota-ring", 8, seed=2)
    result.save_svg(tmp_path / "run.svg")
    result.save_tikz(tmp_path / "run.tex")
    assert (tmp_path / "run.tex").read_text().count("\\begin{tikzpicture}") == 1
    entry = rl.Protocol("yokota-ring").bibtex
    assert entry.startswith("@article{yokota2021,") and "volume = {E104-A}" in entry
    with pytest.raises(ValueError, match="no picture"):
        rl.explore("fischer-jiang-ring", 3).save_svg(tmp_path / "none.svg")


def test_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = simulated().plot()
    assert axes.get_xscale() == "log" and axes.get_lines()
