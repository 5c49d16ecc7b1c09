"""python-libjuju's whole job against a controller that bootstrap has written into $JUJU_DATA."""
import asyncio
import sys

from juju.controller import Controller
from juju.model import Model

NAME, EXAMPLES = sys.argv[1:]


def say(*words):
    print(*words, flush=True)


async def main():
    controller = Controller()
    await controller.connect(NAME)
    say("connected", controller.controller_name)
    model = await controller.add_model("py")
    assert "py" in await controller.list_models()

    kv = await model.deploy(f"{EXAMPLES}/kv", application_name="kv", base="ubuntu@24.04", num_units=1)
    await model.wait_for_idle(apps=["kv"], status="active", timeout=600, idle_period=2)
    say("deployed and idle", [unit.name for unit in kv.units])

    web = await model.deploy(f"{EXAMPLES}/web", application_name="web", base="ubuntu@24.04")
    await model.wait_for_idle(apps=["web"], status="blocked", timeout=600, idle_period=2)
    await model.integrate("web:db", "kv:db")
    await model.wait_for_idle(apps=["kv", "web"], status="active", timeout=600, idle_period=2)
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
    await kv.destroy_unit("kv/1")
    await model.block_until(lambda: len(kv.units) == 1, timeout=600)
    say("relation and unit removed")
    await model.remove_application("web", block_until_done=True, timeout=600)
    await model.remove_application("kv", block_until_done=True, timeout=600)
    say("applications removed")

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
