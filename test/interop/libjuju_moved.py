"""python-libjuju and a model that migrates to another controller: who is connected, and who logs in later, is sent there."""
import asyncio
import gc
import json
import subprocess
import sys

from juju.controller import Controller
from juju.errors import JujuRedirectException
from juju.model import Model

NAME, GRIGRI, DATA, EXAMPLES = sys.argv[1:]
NEXT = f"{NAME}-next"


def say(*words):
    print(*words, flush=True)


def grigri(*args):
    return subprocess.run([GRIGRI, *args], check=True, capture_output=True, text=True).stdout


async def in_time(what, check):
    for _ in range(600):
        if await check():
            return
        await asyncio.sleep(0.2)
    raise AssertionError(f"waited in vain for {what}")


async def has_arrived():
    models = json.loads(await asyncio.to_thread(grigri, "models", "-c", NEXT, "--format", "json"))
    return any(model["short-name"] == "moves" for model in models["models"])


async def sent_on(work):
    """The redirection by which the work fails."""
    try:
        await work
    except JujuRedirectException as error:
        # The library follows redirections only of controllers that stand before others (JAAS).
        assert error.follow_redirect is False
        return error
    raise AssertionError("nobody was sent to the other controller")


async def main():
    # What the library does by itself fails in tasks that nobody waits for.
    failures = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: failures.append(what.get("exception")))

    async def was_sent_on():
        gc.collect()
        return any(isinstance(failure, JujuRedirectException) for failure in failures)

    controller = Controller()
    await controller.connect(NAME)
    model = await controller.add_model("moves")
    kv = await model.deploy(f"{EXAMPLES}/kv", application_name="kv", base="ubuntu@24.04", num_units=1)
    await model.wait_for_idle(apps=["kv"], status="active", timeout=600, idle_period=2)
    login = {"username": "admin", "password": model.connection().password, "uuid": model.uuid}

    grigri("migrate", f"{NAME}:moves", NEXT)
    await in_time("the model to arrive", has_arrived)
    await in_time("the library to connect again and to be sent on", was_sent_on)
    say("who was connected is sent on")
    before = {"endpoint": controller.connection().endpoint, "cacert": controller.connection().cacert}
    error = await sent_on(Model().connect(**before, **login))
    assert error.redirect_info["controller-alias"] == NEXT, error.redirect_info
    say("who logs in is sent on to", [endpoint for endpoint, _ in error.endpoints])

    other = Controller()
    await other.connect(NEXT)
    there = Model()
    login["password"] = other.connection().password
    await there.connect(endpoint=[endpoint for endpoint, _ in error.endpoints], cacert=error.ca_cert, **login)
    assert list(there.applications) == ["kv"], there.applications
    await there.applications["kv"].set_config({"greeting": "from where it moved to"})
    await there.applications["kv"].add_unit(1)
    await there.wait_for_idle(apps=["kv"], status="active", timeout=600, idle_period=2, wait_for_exact_units=2)
    say("the model works on where it is", sorted(unit.name for unit in there.applications["kv"].units))
    for one in (there, other, controller):
        await one.disconnect()
    grigri("destroy-model", f"{NEXT}:moves", "--no-prompt", "--destroy-storage", "--timeout", "240s")


grigri("bootstrap", "local", NEXT, "--no-switch", "--data-dir", f"{DATA}-next", "--config", "api-port=0",
       "--model-default", "enable-os-refresh-update=false")
try:
    asyncio.run(main())
finally:
    grigri("kill-controller", NEXT, "--no-prompt")
