"""python-libjuju uploads a charm and a resource while the controller is killed with -9, and then once more."""
import asyncio
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from juju.controller import Controller

NAME, GRIGRI, DATA = sys.argv[1:]
UPLOADS = pathlib.Path(DATA, "uploads")
MIB = 1024 * 1024


def say(*words):
    print(*words, flush=True)


def grigri(*args):
    return subprocess.run([GRIGRI, *args], check=True, capture_output=True, text=True).stdout


def receiving():
    """Sizes of the files that the controller is receiving."""
    sizes = []
    for path in UPLOADS.rglob("*"):
        # Complete files are moved elsewhere meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                sizes.append(path.stat().st_size)
    return sizes


class Killer(threading.Thread):
    """Kills the controller once it has received a part of an upload."""

    def __init__(self):
        # The thread is a daemon, so that a test whose upload never begins ends.
        super().__init__(daemon=True)

    def run(self):
        while not any(receiving()):
            time.sleep(0.002)
        os.kill(int(pathlib.Path(DATA, "controller.pid").read_text()), signal.SIGKILL)


async def broken(upload):
    """The error of an upload in whose middle the controller is killed; the controller runs again."""
    killer = Killer()
    killer.start()
    try:
        await upload
    except Exception as error:
        killer.join(60)
        assert not killer.is_alive(), error
        assert any(receiving()), "it was killed after the end"
        # Any command starts the controller.
        grigri("status", "-m", f"{NAME}:crash")
        assert receiving() == [], receiving()
        return error
    raise AssertionError("the upload went on without a controller")


async def connected():
    controller = Controller()
    await controller.connect(NAME)
    return controller, await controller.get_model("crash")


async def close(controller, model):
    """Ends connections that the library may have lost."""
    for one in (model, controller):
        try:
            await asyncio.wait_for(one.disconnect(), 20)
        except Exception as error:
            say("disconnect:", repr(error))


def revision():
    status = json.loads(grigri("status", "-m", f"{NAME}:crash", "--format", "json"))
    return {name: one["charm-rev"] for name, one in status["applications"].items()}


def size():
    shown = json.loads(grigri("resources", "big", "-m", f"{NAME}:crash", "--format", "json"))
    return [one["size"] for one in shown["resources"]]


async def uploads_a_charm(folder):
    charm = pathlib.Path(folder, "big")
    charm.mkdir()
    resources = "resources: {data: {type: file, filename: data.bin, description: d}}"
    pathlib.Path(charm, "metadata.yaml").write_text(f"name: big\nsummary: s\ndescription: d\n{resources}\n")
    pathlib.Path(charm, "manifest.yaml").write_text(
        "bases: [{name: ubuntu, channel: 24.04/stable, architectures: [amd64]}]\n"
    )
    # The file is not compressible, so that the archive is equally large.
    pathlib.Path(charm, "large").write_bytes(os.urandom(100 * MIB))

    def deploy(model):
        return model.deploy(str(charm), application_name="big", base="ubuntu@24.04", num_units=0)

    controller, model = await connected()
    say("charm:", repr(await broken(deploy(model))))
    assert revision() == {}, revision()
    await close(controller, model)
    controller, model = await connected()
    await deploy(model)
    assert revision() == {"big": 0}, revision()
    await close(controller, model)


async def uploads_a_resource(folder):
    path = pathlib.Path(folder, "data.bin")
    with path.open("wb") as file:
        file.truncate(500 * MIB)

    async def attach(app):
        # The library sends what it reads from a file of text.
        with path.open() as file:
            await asyncio.to_thread(app.attach_resource, "data", "data.bin", file)

    controller, model = await connected()
    say("resource:", repr(await broken(attach(model.applications["big"]))))
    assert size() == [0], size()
    await close(controller, model)
    controller, model = await connected()
    await attach(model.applications["big"])
    assert size() == [500 * MIB], size()
    assert receiving() == [], receiving()
    await close(controller, model)


async def main():
    controller = Controller()
    await controller.connect(NAME)
    model = await controller.add_model("crash")
    await close(controller, model)
    with tempfile.TemporaryDirectory() as folder:
        await uploads_a_charm(folder)
        await uploads_a_resource(folder)
    grigri("destroy-model", f"{NAME}:crash", "--no-prompt", "--timeout", "240s")
    say("a killed controller kept nothing of an upload")


asyncio.run(main())
