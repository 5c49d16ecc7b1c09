"""A plugin of pytest: writes the hook tools that unit tests call in place of real ones to $RECORD, a JSON list of
[test, arguments]."""
import json
import os

import pytest

calls = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    yield
    fake_run = item.funcargs.get("run")
    for call in getattr(fake_run, "calls", []):
        calls.append([item.name, list(call.args)])
    fake_script = item.funcargs.get("fake_script")
    if fake_script is not None:
        calls.extend([item.name, arguments] for arguments in fake_script.calls())


def pytest_sessionfinish():
    with open(os.environ["RECORD"], "w") as file:
        json.dump(calls, file)
