"""A fixture `juju` for pytest: a jubilant.Juju with a temporary model, on a controller that lives as long as the tests."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import shlex
import shutil
import subprocess
import tempfile
import warnings
from typing import Iterator

import jubilant
import pytest

NAME = "test"
LOG_LINES = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("grigri")
    group.addoption("--grigri", metavar="PATH", help="the program grigri; else $GRIGRI, or grigri on the PATH")
    group.addoption(
        "--grigri-as-juju",
        action="store_true",
        help="let the program juju be grigri for all tests, also without the fixture juju",
    )
    group.addoption(
        "--grigri-config",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="configuration of the models; may be repeated",
    )
    group.addoption(
        "--grigri-local-image",
        metavar="BASE[=ARCHIVE]",
        action="append",
        default=[],
        help="a root file system for machines, as `grigri local-image add` takes it; may be repeated",
    )
    group.addoption("--grigri-keep", action="store_true", help="keep the controller and the models")


class Controller:
    """A controller on this host, with files of its own in one temporary folder."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pytest-grigri-"))
        # jubilant, and tests that call it themselves, run this program; nothing of the tests' environment is changed.
        (self.dir / "bin").mkdir()
        self.binary = self.dir / "bin" / "juju"
        self.binary.write_text(
            "#!/bin/sh\n"
            "unset JUJU_CONTROLLER JUJU_MODEL\n"
            f"HOME={shlex.quote(str(self.dir))} JUJU_DATA={shlex.quote(str(self.dir / 'client'))} "
            f'exec {shlex.quote(program)} "$@"\n'
        )
        self.binary.chmod(0o755)

    def start(self, config: list[str], images: list[str]) -> None:
        try:
            self._make(config)
            for image in images:
                added = self.run("local-image", "add", *image.split("=", 1))
                if added.returncode != 0:
                    raise RuntimeError(f"no root file system for {image} could be added:\n{added.stderr}")
        except BaseException:
            # Also after ^C.
            self.end()
            raise

    def _make(self, config: list[str]) -> None:
        data = ["--data-dir", str(self.dir / "controller"), "--config", "api-port=0"]
        defaults = [word for one in config for word in ("--model-default", one)]
        made = self.run("bootstrap", "local", NAME, *data, *defaults)
        if made.returncode != 0:
            raise RuntimeError(f"no controller could be made:\n{made.stderr}")

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.binary), *args]
        with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                stdout, stderr = process.communicate()
            except KeyboardInterrupt:
                # subprocess.run would kill the program, which removes what it has begun: it got the ^C, too.
                process.communicate()
                raise
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def juju(self) -> jubilant.Juju:
        """Returns a Juju with a new model."""
        juju = jubilant.Juju(cli_binary=self.binary)
        juju.add_model(f"pytest-{secrets.token_hex(4)}")
        return juju

    def end(self) -> None:
        # Nothing here is worth waiting for agents.
        killed = self.run("kill-controller", NAME, "--no-prompt", "--timeout", "0s")
        if killed.returncode == 0 or not self._is_known():
            shutil.rmtree(self.dir, ignore_errors=True)
        else:
            warnings.warn(f"{self.binary} kill-controller {NAME} failed:\n{killed.stderr}", stacklevel=2)

    def _is_known(self) -> bool:
        with contextlib.suppress(OSError):
            return f"{NAME}:" in (self.dir / "client" / "controllers.yaml").read_text()
        return False


def find_program(config: pytest.Config) -> str:
    given = config.getoption("--grigri") or os.environ.get("GRIGRI")
    # An editable install is beside the program.
    beside = pathlib.Path(__file__).resolve().parents[2] / "bin" / "grigri"
    found = shutil.which(given or "grigri") or (str(beside) if not given and beside.exists() else None)
    if found is None:
        raise pytest.UsageError(
            f"there is no program {given or 'grigri'}: give its path by --grigri or $GRIGRI, or put it on the PATH"
        )
    return os.path.abspath(found)


@pytest.fixture(scope="session")
def grigri_controller(request: pytest.FixtureRequest) -> Iterator[Controller]:
    """The controller of this test run."""
    controller = Controller(find_program(request.config))
    controller.start(request.config.getoption("--grigri-config"), request.config.getoption("--grigri-local-image"))
    try:
        yield controller
    finally:
        if request.config.getoption("--grigri-keep"):
            with contextlib.suppress(Exception):
                capture = request.config.pluginmanager.getplugin("capturemanager")
                with capture.global_and_fixture_disabled():
                    print(
                        f"\nThe controller is kept. To look at it, and to remove it:\n"
                        f"  {controller.binary} models\n"
                        f"  {controller.binary} kill-controller {NAME} --no-prompt && rm -r {controller.dir}"
                    )
        else:
            controller.end()


@pytest.fixture(scope="session", autouse=True)
def _grigri_as_juju(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.config.getoption("--grigri-as-juju"):
        yield
        return
    controller = request.getfixturevalue("grigri_controller")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(controller.binary.parent), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def juju(grigri_controller: Controller, request: pytest.FixtureRequest) -> Iterator[jubilant.Juju]:
    """A Juju with a temporary model, for the tests of a module."""
    juju = grigri_controller.juju()
    model = juju.model
    yield juju
    if not request.config.getoption("--grigri-keep") and model is not None:
        # What is left goes with the controller.
        grigri_controller.run(
            "destroy-model", model, "--no-prompt", "--destroy-storage", "--force", "--no-wait", "--timeout", "30s"
        )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    juju = getattr(item, "funcargs", {}).get("juju")
    if report.failed and isinstance(juju, jubilant.Juju) and juju.model is not None:
        report.sections.extend(evidence(juju))


def evidence(juju: jubilant.Juju) -> list[tuple[str, str]]:
    """Returns what explains a failure: sections with a title and a text each."""
    sections = []
    for args in (["status", "--relations"], ["debug-log", "--replay", "--no-tail"]):
        with contextlib.suppress(Exception):
            lines = juju.cli(*args).rstrip().split("\n")
            sections.append((f"juju {args[0]}", "\n".join(lines[-LOG_LINES:])))
    with contextlib.suppress(Exception):
        for unit in units_in_error(json.loads(juju.cli("status", "--format", "json"))):
            sections.append((f"juju show-unit {unit}", juju.cli("show-unit", unit).rstrip()))
            sections.append((f"juju history {unit}", juju.cli("history", unit, "--status", "-n", "40").rstrip()))
    return sections


def units_in_error(status: dict) -> list[str]:
    found = []
    for application in status["applications"].values():
        for name, unit in (application.get("units") or {}).items():
            for one, shown in [(name, unit), *(unit.get("subordinates") or {}).items()]:
                if shown["workload-status"]["current"] == "error":
                    found.append(one)
    return found
