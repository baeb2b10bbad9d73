"""The test suite's own equipment does what the tests rely on."""

from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """An empty suite that uses this suite's conftest."""
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\ntrio_mode = true\nfilterwarnings = error\n")
    return pytester


def test_a_failure_in_an_async_test_explains_its_assertion(suite: pytest.Pytester) -> None:
    """A failed assertion in an async test shows both values and no exception group."""
    suite.makepyfile(
        """
        async def test_sum():
            assert [1, 2] == [1, 3]
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*At index 1 diff: 2 != 3*"])
    result.stdout.no_fnmatch_line("*ExceptionGroup*")


def test_two_failures_at_once_stay_a_group(suite: pytest.Pytester) -> None:
    """A group of several errors is reported whole: unwrapping would lose one."""
    suite.makepyfile(
        """
        import trio

        async def fail(error):
            raise error

        async def test_both():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(fail, ValueError("one"))
                nursery.start_soon(fail, KeyError("two"))
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ExceptionGroup*2 sub-exceptions*"])


def test_a_clock_that_would_be_ignored_fails_the_test(suite: pytest.Pytester) -> None:
    """A clock that only another fixture asks for fails the test at once and is named."""
    suite.makepyfile(
        """
        import pytest
        import trio

        @pytest.fixture
        async def warm(autojump_clock):
            return 1

        async def test_hidden(warm):
            await trio.sleep(3600)

        async def test_own(warm, autojump_clock):
            await trio.sleep(3600)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_hidden runs on real time: autojump_clock*"])
