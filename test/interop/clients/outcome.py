"""Runs tests one after another: a line for each, and the totals as one line at the end."""
import inspect
import sys
import time
import traceback


class Skipped(Exception):
    """Why a test cannot be run here."""


class Outcomes:
    """What became of the tests of one client."""

    def __init__(self, only=""):
        self._only = only
        self._counts = {"passed": 0, "failed": 0, "skipped": 0}

    def tell(self, result, name, why=""):
        self._counts[result] += 1
        print(f"{result} {name}{f': {why}' if why else ''}", flush=True)

    def skips(self, skipped):
        """Counts tests that are not run, by name with the reason."""
        for name, why in skipped.items():
            if self._only in name:
                self.tell("skipped", name, why)

    async def runs(self, *tests):
        """Runs functions, or coroutines, in this order."""
        for test in tests:
            name = test.__name__.removeprefix("test_")
            if self._only not in name:
                continue
            begin = time.monotonic()
            try:
                result = test()
                if inspect.isawaitable(result):
                    await result
            except Skipped as why:
                self.tell("skipped", name, str(why))
            except Exception:
                traceback.print_exc()
                self.tell("failed", name)
            else:
                self.tell("passed", name, f"{time.monotonic() - begin:.1f} s")

    def ends(self):
        """Prints the totals and ends the process: 1 when a test failed."""
        print(", ".join(f"{count} {result}" for result, count in self._counts.items()), flush=True)
        sys.exit(1 if self._counts["failed"] else 0)


class Raises:
    """A block that must raise this error: as pytest.raises. The error is `value`."""

    def __init__(self, kind, text=""):
        self._kind = kind
        self._text = text
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError(f"no {self._kind.__name__}")
        if not issubclass(kind, self._kind):
            return False
        parts = [str(value), getattr(value, "stderr", "") or "", getattr(value, "stdout", "") or ""]
        assert any(self._text in part for part in parts), parts
        self.value = value
        return True
