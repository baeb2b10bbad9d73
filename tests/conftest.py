"""What every test gets: Hypothesis profiles, the data folder, readable failures and a guarded clock."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from trio.abc import Clock

ROOT = Path(__file__).parent.parent

# A busy machine is no fault of a strategy, so neither profile judges how long an example takes.
settings.register_profile(
    "small", max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "large", max_examples=1000, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("TURNTREE_PROPERTIES", "small"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real inputs beside the checkout (or at TURNTREE_DATA); tests that want them are skipped without."""
    folder = Path(os.environ.get("TURNTREE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set TURNTREE_DATA to its folder")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Refuse a clock that would be ignored, and show a lone failure as itself.

    pytest-trio runs a test in a nursery, so every failure arrives in a group. Without the group, pytest explains
    the assertion again and `xfail(raises=…)` sees the error it names.
    """
    _refuse_ignored_clock(pyfuncitem)
    try:
        return (yield)
    except BaseExceptionGroup as group:
        failure: BaseException = group
        while isinstance(failure, BaseExceptionGroup) and len(failure.exceptions) == 1:
            failure = failure.exceptions[0]
    # Outside the handler, so that the failure keeps the context in which it was first raised.
    raise failure


def _refuse_ignored_clock(item: pytest.Function) -> None:
    """Fail a trio test whose clock stands anywhere but among its own arguments.

    pytest-trio looks for a clock there only. One that another fixture asks for is made and then ignored: the test
    would sleep for real hours.
    """
    if item.get_closest_marker("trio") is None:
        return
    own = set(item._fixtureinfo.argnames)  # pytest has no public name for them
    clocks = {name for name, value in item.funcargs.items() if isinstance(value, Clock)}
    if clocks and not clocks & own:
        pytest.fail(
            f"{item.name} runs on real time: {', '.join(sorted(clocks))} comes only through another fixture; "
            "make it an argument of the test itself"
        )
