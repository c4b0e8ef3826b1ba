"""The stubs say what the engine has, and doctests say what happens."""

import doctest
import importlib
import pathlib
import subprocess
import sys

import pytest

import ringleader

MODULES = ["", ".matrices", ".errors", ".experiments", ".protocol", ".results", ".rules", ".tables", ".values"]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    module = importlib.import_module("ringleader" + name)
    assert doctest.testmod(module).failed == 0


def test_the_readme_is_true():
    readme = pathlib.Path(__file__).parent.parent / "README.md"
    found = doctest.testfile(str(readme), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 10 and found.failed == 0


def test_stubs(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "ringleader._engine"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_types(tmp_path):
    pytest.importorskip("mypy")
    config = pathlib.Path(__file__).parent.parent / "pyproject.toml"
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "-p", "ringleader"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert (pathlib.Path(ringleader.__file__).parent / "py.typed").exists()
