"""What the plugin itself does, by runs of pytest inside of a test."""

import os
import signal
import subprocess
import sys
import time

pytest_plugins = ["pytester"]

CHARM = {
    "metadata.yaml": "name: bad\nsummary: s\ndescription: d\n",
    "hooks/install": "#!/usr/bin/python3\nraise ValueError('no disk of that colour')\n",
}
STILL = ["--grigri-config", "enable-os-refresh-update=false"]


def charm(pytester):
    for name, text in CHARM.items():
        path = pytester.path / "bad" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


def test_a_failure_shows_the_traceback_of_the_hook(pytester):
    charm(pytester)
    pytester.makepyfile(
        """
        import jubilant

        def test_installs(juju):
            juju.deploy("./bad")
            juju.wait(jubilant.all_active, error=jubilant.any_error)
        """
    )
    result = pytester.runpytest_subprocess(*STILL)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines_random(
        ["*juju status*", "*juju debug-log*", "*ValueError: no disk of that colour*", "*juju history bad/0*"]
    )


def test_a_fixture_of_jubilant_runs_with_grigri_as_juju(pytester):
    pytester.makeconftest(
        """
        import jubilant
        import pytest

        @pytest.fixture(scope="module")
        def juju():
            with jubilant.temp_model() as juju:
                yield juju
        """
    )
    pytester.makepyfile(
        """
        def test_model(juju):
            assert juju.status().model.cloud == "local"
        """
    )
    pytester.runpytest_subprocess("--grigri-as-juju", *STILL).assert_outcomes(passed=1)


def test_a_program_that_is_not_there_is_an_error(pytester):
    pytester.makepyfile("def test_any(juju): pass")
    result = pytester.runpytest_subprocess("--grigri", "/nowhere/grigri")
    result.stdout.fnmatch_lines(["*there is no program /nowhere/grigri*"])


SLOW = """#!/bin/sh
cd "$(dirname "$0")"
echo "$1" >>calls
[ "$1" = bootstrap ] || exit 1
trap 'echo undone >>calls; exit 130' INT
touch begun
while :; do sleep 0.1; done
"""


def test_interrupted_while_it_makes_the_controller_nothing_is_left(pytester):
    """^C reaches the program as well, which undoes what it has begun and must not be killed."""
    program = pytester.path / "slow"
    program.write_text(SLOW)
    program.chmod(0o755)
    folder = pytester.mkdir("tmp")
    pytester.makepyfile("def test_any(juju): pass")
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--grigri", str(program)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not (pytester.path / "begun").exists():
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(60) == 2
    assert list(folder.iterdir()) == []
    assert (pytester.path / "calls").read_text().split() == ["bootstrap", "undone", "kill-controller"]
