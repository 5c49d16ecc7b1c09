"""python-libjuju's whole job against a controller that bootstrap has written into $JUJU_DATA."""
import asyncio
import logging
import sys
import tempfile
from pathlib import Path

from juju.controller import Controller
from juju.model import Model

NAME, EXAMPLES = sys.argv[1:]
BUNDLE = f"""
default-base: ubuntu@24.04
applications:
  web: {{charm: {EXAMPLES}/web, num_units: 1}}
  kv: {{charm: {EXAMPLES}/kv, num_units: 1, options: {{greeting: from a bundle}}}}
relations:
- [web, kv]
"""


class Complaints(logging.Handler):
    """What the library warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


complaints = Complaints()
logging.getLogger("juju").addHandler(complaints)


def say(*words):
    print(*words, flush=True)


async def main():
    controller = Controller()
    await controller.connect(NAME)
    say("connected", controller.controller_name)
    model = await controller.add_model("py")
    assert "py" in await controller.list_models()
    assert not [text for text in complaints.messages if "facade" in text], complaints.messages

    # The application requires a store: its unit has no machine yet, and is an ordinary unit that is blocked.
    web = await model.deploy(f"{EXAMPLES}/web", application_name="web", base="ubuntu@24.04")
    await model.wait_for_idle(apps=["web"], status="blocked", timeout=600, idle_period=2)
    assert web.units[0].workload_status_message == "missing relation: db (kv)", web.units[0].safe_data
    assert web.units[0].machine is None and not model.machines, model.machines
    status = await model.get_status()
    assert status.applications["web"].units["web/0"].machine == "", status.applications["web"]
    say("waits for its requirements", [unit.name for unit in web.units])

    kv = await model.deploy(f"{EXAMPLES}/kv", application_name="kv", base="ubuntu@24.04", num_units=1)
    await model.wait_for_idle(apps=["kv"], status="active", timeout=600, idle_period=2)
    await model.wait_for_idle(apps=["web"], status="blocked", timeout=600, idle_period=2)
    say("deployed and idle", [unit.name for unit in kv.units])
    await model.integrate("web:db", "kv:db")
    await model.wait_for_idle(apps=["kv", "web"], status="active", timeout=600, idle_period=2)
    assert web.units[0].machine is not None and len(model.machines) == 2, model.machines
    say("integrated")

    await kv.set_config({"greeting": "from python"})
    assert (await kv.get_config())["greeting"]["value"] == "from python"
    await kv.add_unit(1)
    await model.wait_for_idle(apps=["kv"], status="active", timeout=600, idle_period=2, wait_for_exact_units=2)
    say("unit added", sorted(unit.name for unit in kv.units))

    status = await model.get_status()
    assert set(status.applications) == {"kv", "web"}, status.applications
    await web.expose()

    await kv.destroy_relation("db", "web:db")
    await model.wait_for_idle(apps=["web"], status="blocked", timeout=600, idle_period=2)
    await web.add_unit(1)
    await model.block_until(lambda: [unit.workload_status for unit in web.units] == ["blocked", "blocked"], timeout=600)
    await web.destroy_unit("web/1")
    await model.block_until(lambda: len(web.units) == 1, timeout=600)
    await kv.destroy_unit("kv/1")
    await model.block_until(lambda: len(kv.units) == 1, timeout=600)
    say("relation and unit removed")
    await model.remove_application("web", block_until_done=True, timeout=600)
    await model.remove_application("kv", block_until_done=True, timeout=600)
    say("applications removed")

    # The same applications are deployed as a bundle, in any order.
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder, "bundle.yaml")
        bundle.write_text(BUNDLE)
        await model.deploy(str(bundle))
    await model.wait_for_idle(apps=["kv", "web"], status="active", timeout=600, idle_period=2)
    for name in ("web", "kv"):
        await model.remove_application(name, block_until_done=True, timeout=600)
    say("a bundle deployed and removed")

    again = Model()
    await again.connect(f"{NAME}:admin/py")
    assert again.info.name == "py"
    await again.disconnect()
    await model.disconnect()
    await controller.destroy_models("py", destroy_storage=True, force=False, max_wait=60)
    while "py" in await controller.list_models():
        await asyncio.sleep(0.5)
    say("model destroyed")
    await controller.disconnect()


asyncio.run(main())
