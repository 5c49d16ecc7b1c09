"""What python-libjuju does to one application: refresh, resources, secrets, actions, storage, spaces, keys."""
import asyncio
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile

from juju.controller import Controller
from juju.errors import JujuError

NAME, HERE = sys.argv[1:]
CHARM = pathlib.Path(HERE, "toolbox-charm")


def say(*words):
    print(*words, flush=True)


async def shown(model, *parts):
    """Waits until the only unit's status has these parts."""
    unit = model.units["toolbox/0"]
    try:
        await model.block_until(
            lambda: unit.workload_status == "active"
            and unit.agent_status == "idle"
            and all(part in unit.workload_status_message for part in parts),
            timeout=240,
            wait_period=0.2,
        )
    except asyncio.TimeoutError as error:
        raise AssertionError(f"{unit.workload_status_message!r} has not {parts}") from error


async def refused(call, text):
    try:
        await call
    except (JujuError, Exception) as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


async def deploys(model, folder):
    blob = pathlib.Path(folder, "blob.txt")
    blob.write_text("first")
    app = await model.deploy(
        str(CHARM),
        application_name="toolbox",
        base="ubuntu@24.04",
        resources={"blob": str(blob)},
    )
    await model.wait_for_idle(apps=["toolbox"], status="active", timeout=300, idle_period=1)
    await shown(model, "edition 1", "blob first", "token none")
    # The library looks for resources of a store's charm, and for members that Juju does not send.
    assert await app.get_resources() == {}
    say("deployed with a resource")
    return app


async def acts(app, unit):
    assert set(await app.get_actions()) == {"greet", "refuse", "crash", "linger"}
    action = await unit.run_action("greet", name="libjuju")
    await action.wait()
    assert (action.status, action.results["greeting"]) == ("completed", "hello, libjuju"), action.results
    output = await app.model.get_action_output(action.entity_id)
    assert (output["return-code"], output["stdout"]) == (0, "said\n"), output
    failed = await (await unit.run_action("crash")).wait()
    assert (failed.status, failed.results["return-code"], failed.results["stderr"]) == ("failed", 3, "broken\n")
    await refused(unit.run_action("none"), "none")
    ran = await unit.run("config-get greeting", block=True)
    assert (ran.status, ran.results["stdout"]) == ("completed", "hello\n"), ran.results
    everywhere = await app.run("hostname")
    assert [one.error for one in everywhere.actions] == [None], everywhere
    say("actions and commands")


async def keeps_secrets(model, app):
    uri = await model.add_secret("token", ["value=one"], info="a token")
    assert uri.startswith("secret:"), uri
    await refused(model.add_secret("token", ["value=one"]), "already exists")
    await model.grant_secret("token", "toolbox")
    await app.set_config({"token": uri})
    await shown(model, "token one")
    await model.update_secret("token", ["value=two"], new_name="key")
    await shown(model, "token two")
    listed = {one.label: one for one in await model.list_secrets(show_secrets=True)}
    assert listed.keys() == {"key", "own"}, listed
    key = listed["key"]
    assert (key.latest_revision, key.owner_tag) == (2, f"model-{model.uuid}"), key
    assert base64.b64decode(key.value.data["value"]) == b"two", key.value
    assert base64.b64decode(listed["own"].value.data["password"]) == b"own-password"
    await model.revoke_secret("key", "toolbox")
    await app.reset_config(["token"])
    await shown(model, "token none")
    await model.remove_secret("key")
    assert [one.label for one in await model.list_secrets()] == ["own"]
    say("secrets")


async def refreshes(model, app, folder):
    charm = pathlib.Path(folder, "v2")
    shutil.copytree(CHARM, charm, symlinks=True)
    pathlib.Path(charm, "edition").write_text("2\n")
    blob = pathlib.Path(folder, "blob.txt")
    await app.refresh(path=str(charm))
    await shown(model, "edition 2", "blob first")
    pathlib.Path(charm, "edition").write_text("3\n")
    blob.write_text("second")
    await app.local_refresh(
        charm_origin=(await app._facade().GetCharmURLOrigin(application="toolbox")).charm_origin,
        path=str(charm),
        resources={"blob": str(blob)},
    )
    await shown(model, "edition 3", "blob second")
    assert app.data["charm-url"] == "local:toolbox-2", app.data["charm-url"]
    with blob.open("w+") as file:
        file.write("third")
        file.seek(0)
        app.attach_resource("blob", "blob.txt", file)
    await shown(model, "edition 3", "blob third")
    lost = pathlib.Path(folder, "lost")
    lost.mkdir()
    pathlib.Path(lost, "metadata.yaml").write_text("name: toolbox\nsummary: s\ndescription: d\n")
    shutil.copy(CHARM / "manifest.yaml", lost)
    await refused(app.refresh(path=str(lost)), 'in-use storage "data" removed')
    say("refreshed, resources attached")


async def stores(model, unit):
    # Storage is added later, as the library's deploy takes none: it reads the directives twice, in two forms.
    assert await unit.add_storage("data", size=100) == ["storage-data-0"]
    (mine,) = await model.list_storage()
    assert (mine["storage-tag"], mine["owner-tag"], mine["kind"]) == ("storage-data-0", "unit-toolbox-0", 2), mine
    assert {one["name"] for one in await model.list_storage_pools()} >= {"rootfs", "tmpfs", "local"}
    await model.create_storage_pool("fast", "local", "a=b")
    await model.update_storage_pool("fast", "a=c")
    tags = await unit.add_storage("data", pool="fast", size=50)
    assert tags == ["storage-data-1"], tags

    async def is_now(status):
        for _ in range(300):
            (details,) = await model.show_storage_details("data/1")
            if details["status"]["status"] == status:
                return
            await asyncio.sleep(0.2)
        raise AssertionError(details)

    await is_now("attached")
    assert len(await model.list_storage(filesystem=True)) == 2
    await unit.detach_storage("data/1")
    await is_now("detached")
    await unit.attach_storage(["data/1"])
    await is_now("attached")
    await unit.detach_storage("data/1")
    await is_now("detached")
    await model.remove_storage("storage-data-1", destroy_storage=True)
    for _ in range(300):
        if len(await model.list_storage()) == 1:
            break
        await asyncio.sleep(0.2)
    else:
        raise AssertionError(await model.list_storage())
    say("storage added, detached, attached and removed")


async def others(model, folder):
    assert "alpha" in [one.name for one in await model.get_spaces()]
    created = await model.add_space("dmz", [])
    assert created.results[0].error is None, created.results[0].error
    assert {one.name for one in await model.get_spaces()} == {"alpha", "dmz"}
    path = pathlib.Path(folder, "id")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me@here", "-f", path], check=True)
    key = path.with_suffix(".pub").read_text().strip()
    assert (await model.add_ssh_key("admin", key)).results[0].error is None
    assert key in (await model.get_ssh_key(raw_ssh=True)).results[0].result
    await model.remove_ssh_key("admin", key)
    assert not (await model.get_ssh_key(raw_ssh=True)).results[0].result
    annotations = await model.get_annotations()
    assert annotations == {}, annotations
    say("spaces and keys")


async def main():
    controller = Controller()
    await controller.connect(NAME)
    model = await controller.add_model("charm")
    with tempfile.TemporaryDirectory() as folder:
        app = await deploys(model, folder)
        unit = app.units[0]
        await acts(app, unit)
        await keeps_secrets(model, app)
        await stores(model, unit)
        await refreshes(model, app, folder)
        await others(model, folder)
    await model.remove_application("toolbox", block_until_done=True, timeout=300, destroy_storage=True)
    await model.disconnect()
    await controller.destroy_models("charm", destroy_storage=True, force=False, max_wait=60)
    while "charm" in await controller.list_models():
        await asyncio.sleep(0.5)
    await controller.disconnect()
    say("removed")


asyncio.run(main())
