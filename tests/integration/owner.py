"""A process that works off a journal until it is killed: `python -m tests.integration.owner JOURNAL`."""

import sys

import trio

from runtime import open_runtime


async def main(path: str) -> None:
    """Say that it works, then work."""
    async with open_runtime(path) as runtime:
        sys.stdout.write("works\n")
        sys.stdout.flush()
        await runtime.work(limit=100)


if __name__ == "__main__":
    trio.run(main, sys.argv[1])
