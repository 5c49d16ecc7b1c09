"""What python-libjuju's integration tests share: models of their own, one shared model, and charms."""
import contextlib
import json
import pathlib
import sys
import tempfile
import uuid

from charms import write_charms
from juju.controller import Controller

NAME, GRIGRI = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp(prefix="libjuju-"))
CHARMS = write_charms(folder)
# The shared model, and its application ubuntu with one unit: no test changes them so that another one would notice.
shared = {}


@contextlib.asynccontextmanager
async def a_controller():
    controller = Controller()
    await controller.connect(NAME)
    try:
        yield controller
    finally:
        await controller.disconnect()


@contextlib.asynccontextmanager
async def clean_model():
    """A model of its own."""
    async with a_controller() as controller:
        name = f"test-{uuid.uuid4().hex[:8]}"
        model = await controller.add_model(name)
        try:
            yield model
        finally:
            await model.disconnect()
            await controller.destroy_models(name, destroy_storage=True, force=True, max_wait=0)


async def idle(model, *apps, **options):
    await model.wait_for_idle(apps=list(apps) or None, **{"timeout": 240, "idle_period": 0.5, "check_freq": 0.2, **options})


def bundle_of(name, **bundle):
    """Writes a bundle and returns its path."""
    file = folder / name
    file.write_text(json.dumps({"default-base": "ubuntu@24.04", **bundle}))
    return file
