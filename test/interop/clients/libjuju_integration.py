"""python-libjuju's integration tests, under their names. They are written after what the tests of python-libjuju 3.5 call
(no release ships them), with local charms in place of those of Charmhub."""
import asyncio
import inspect
import pathlib
import shutil
import ssl
import sys
import uuid

import libjuju_models
import libjuju_offers
from charms import write_charm
from juju import access
from juju.application import ExposedEndpoint
from juju.client import client
from juju.client.connection import Connection
from juju.controller import Controller
from juju.errors import JujuAPIError, JujuError
from juju.unit import Unit
from juju.utils import block_until
from libjuju_world import CHARMS, NAME, a_controller, clean_model, folder, idle, shared
from outcome import Outcomes, Raises

outcomes = Outcomes(*sys.argv[3:])
CHARMHUB = "a charm of Charmhub"
NOT_HERE = {
    "deploy_bundle": CHARMHUB,
    "deploy_trusted_bundle": CHARMHUB,
    "deploy_charmhub_charm": CHARMHUB,
    "deploy_from_ch_with_series": CHARMHUB,
    "deploy_from_ch_with_invalid_series": CHARMHUB,
    "upgrade_charm_switch_channel": CHARMHUB,
    "test_charmhub.py (7 tests)": CHARMHUB,
    "local_oci_image_resource_charm": "OCI images, which machines have not",
    "add_manual_machine_ssh": "a machine of LXD (test:manual enlists machines)",
    "secrets_backend_lifecycle": "a Vault (test:vault has one)",
    "macaroon_auth": "skipped in python-libjuju itself",
    "watch_model_summaries": "the library asks its watcher with Python's own function id",
    "redirect": "skipped in python-libjuju itself",
    "add_machine with disks": "disks of machines are refused",
    "get_action_status": "Action.FindActionTagsByPrefix, which Juju 3 has not either",
}


# test_application.py


async def test_action():
    app = shared["app"]
    await app.set_config({"status": "blocked"})
    assert (await app.get_config())["status"]["value"] == "blocked"
    await app.reset_config(["status"])
    assert (await app.get_config())["status"]["value"] == "active"
    await app.set_constraints({"mem": 512})
    assert (await app.get_constraints())["mem"] == 512
    await app.set_constraints({})
    assert "add-repo" in await app.get_actions()


async def test_get_set_config():
    config = await shared["app"].get_config()
    await shared["app"].set_config(config)
    again = await shared["app"].get_config()
    assert {key: value["value"] for key, value in again.items()} == {
        key: value["value"] for key, value in config.items()
    }, (config, again)


async def test_status():
    async with clean_model() as model:
        app = await model.deploy(str(CHARMS["ubuntu"]), config={"status": "blocked"})
        assert app.status != "unset", app.status
        await model.block_until(lambda: app.units and app.status == "blocked", timeout=240)


async def test_add_units():
    units = await shared["app"].add_units(count=2)
    assert len(units) == 2 and all(isinstance(unit, Unit) for unit in units), units
    await shared["app"].destroy_units(*[unit.name for unit in units])
    await shared["model"].block_until(lambda: len(shared["app"].units) == 1, timeout=120)


async def test_upgrade_local_charm():
    changed = write_charm(folder / "changed", "ubuntu", dispatch="#!/bin/sh\nstatus-set waiting changed\n")
    async with clean_model() as model:
        app = await model.deploy(str(CHARMS["ubuntu"]))
        await idle(model, status="active")
        await app.refresh(path=changed)
        await idle(model, status="waiting")
        assert app.charm_url == "local:ubuntu-1", app.charm_url


async def test_trusted():
    async with clean_model() as model:
        app = await model.deploy(str(CHARMS["ubuntu"]), trust=True, num_units=0)
        assert await app.get_trusted() is True
        await app.set_trusted(False)
        assert await app.get_trusted() is False


async def test_app_remove_wait_flag():
    async with clean_model() as model:
        app = await model.deploy(str(CHARMS["ubuntu"]))
        await idle(model, status="active")
        await model.remove_application("ubuntu", block_until_done=True, timeout=240)
        assert "ubuntu" not in model.applications


# test_unit.py, test_machine.py


async def test_run():
    unit = shared["app"].units[0]
    ran = await unit.run("hostname", block=True)
    assert (ran.status, bool(ran.results["stdout"].strip())) == ("completed", True), ran.results
    slow = await unit.run("sleep 30", timeout=0.5, block=True)
    assert slow.status == "failed", slow.status
    assert (await unit.run("sleep 0.5", timeout=20, block=True)).status == "completed"


async def test_run_action():
    action = await (await shared["app"].units[0].run_action("add-repo", repo="myrepo")).wait()
    assert action.results["dir"] == "/var/git/myrepo.git", action.results
    output = await shared["model"].get_action_output(action.entity_id, wait=5)
    assert output["dir"] == "/var/git/myrepo.git", output


async def test_get_public_address():
    assert (await shared["app"].units[0].get_public_address()).count(".") == 3


async def test_is_leader_from_status():
    assert await shared["app"].units[0].is_leader_from_status()


async def test_machine_status():
    machine = shared["model"].machines["0"]
    assert (machine.agent_status, machine.status) == ("started", "running"), machine.safe_data
    assert machine.status_message.lower().startswith("running") and machine.agent_version, machine.safe_data
    assert machine.dns_name and machine.addresses, machine.safe_data


# test_controller.py


def a_name(kind):
    return f"test-{kind}-{uuid.uuid4().hex[:8]}"


async def logs_in(controller, username, password):
    parameters = {**controller.connection().connect_params(), "username": username, "password": password}
    await (await Connection.connect(**parameters)).close()


async def test_add_remove_user():
    async with a_controller() as controller:
        name = a_name("user")
        assert await controller.get_user(name) is None
        user = await controller.add_user(name)
        assert user.secret_key and user.username == name, user
        assert any(one.username == name for one in await controller.get_users())
        await controller.remove_user(name)
        assert await controller.get_user(name) is None
        assert not any(one.username == name for one in await controller.get_users())


async def test_disable_enable_user():
    async with a_controller() as controller:
        user = await controller.add_user(a_name("disable"))
        for change, enabled in ((user.disable, False), (user.enable, True)):
            await change()
            fresh = await controller.get_user(user.username)
            for one in (user, fresh):
                assert (one.enabled, one.disabled) == (enabled, not enabled), one
        await controller.remove_user(user.username)


async def test_change_user_password():
    async with a_controller() as controller:
        user = await controller.add_user(a_name("password"))
        await user.set_password("password")
        await logs_in(controller, user.username, "password")
        await controller.remove_user(user.username)


async def test_reset_user_password():
    async with a_controller() as controller:
        user = await controller.add_user(a_name("reset"))
        await user.set_password("password")
        key = user.secret_key
        await controller.reset_user_password(user.username)
        assert key != (await controller.get_user(user.username)).secret_key
        with Raises(JujuAPIError):
            await logs_in(controller, user.username, "password")
        await controller.remove_user(user.username)


async def test_list_models():
    async with a_controller() as controller:
        assert shared["model"].name in await controller.list_models()


async def test_get_model():
    async with a_controller() as controller:
        for key in (shared["model"].name, shared["model"].uuid):
            model = await controller.get_model(key)
            assert (model.name, model.info.uuid) == (shared["model"].name, shared["model"].uuid)
            await model.disconnect()


async def test_destroy_model():
    # Models are destroyed by name, and by UUID.
    async with a_controller() as controller:
        for key in ("name", "uuid"):
            model = await controller.add_model(a_name("model"))
            name, destroyed = model.name, getattr(model.info, key)
            await model.disconnect()
            assert name in await controller.list_models()
            await controller.destroy_model(destroyed)
            while name in await controller.list_models():
                await asyncio.sleep(0.2)


async def test_add_remove_cloud():
    async with a_controller() as controller:
        name = a_name("cloud")
        endpoint = "http://localhost:1234"
        cloud = await controller.add_cloud(
            name, client.Cloud(auth_types=["userpass"], endpoint=endpoint, type_="kubernetes")
        )
        assert (cloud.auth_types, cloud.endpoint, cloud.type_) == (["userpass"], endpoint, "kubernetes"), cloud
        await controller.remove_cloud(name)
        assert f"cloud-{name}" not in (await controller.clouds()).clouds


async def test_grant_revoke_controller_access():
    async with a_controller() as controller:
        user = await controller.add_user(a_name("grant"))
        for change, expected in (
            (lambda: user.grant("superuser"), "superuser"),
            # The grant changes nothing: superusers may log in.
            (lambda: user.grant("login"), "superuser"),
            (lambda: user.revoke(), ""),
        ):
            await change()
            fresh = await controller.get_user(user.username)
            assert (user.access, fresh.access) == (expected, expected), (user.access, fresh.access, expected)
        await controller.remove_user(user.username)


async def test_grant_revoke_model_access():
    async with a_controller() as controller:
        user = await controller.add_user(a_name("grant"))
        name = shared["model"].name
        with Raises(JujuError):
            await user.grant("superuser", model_name=name)
        assert await controller.list_models(user.username) == []
        await user.grant(access.READ_ACCESS, model_name=name)
        assert name in await controller.list_models(user.username)
        await user.revoke(access.READ_ACCESS, model_name=name)
        assert await controller.list_models(user.username) == []
        await controller.remove_user(user.username)


async def test_connection_lazy_jujudata():
    async with a_controller() as first:
        connection = first.connection()
        second = Controller()
        await second.connect(
            endpoint=connection.endpoints[0][0],
            cacert=connection.cacert,
            username=connection.usertag,
            password=connection.password,
        )
        assert second._controller_name is None and second.controller_name == NAME, second.controller_name
        await second.disconnect()


# test_connection.py, test_client.py, test_errors.py, test_expose.py, test_secrets.py, test_crossmodel.py


async def test_monitor():
    # The test has a connection of its own: the watcher of a model connects again by a function that Python 3.11
    # has removed.
    connection = await Connection.connect(**shared["model"].connection().connect_params())
    assert connection.monitor.status == "connected"
    await connection.close()
    assert connection.monitor.status in ("disconnecting", "disconnected"), connection.monitor.status


async def test_monitor_catches_error():
    async with clean_model() as model:
        connection = model.connection()
        # The library does not connect again while the lock is held.
        async with connection.monitor.reconnecting:
            await connection._ws.close()
            await block_until(lambda: connection.monitor.status == "error", timeout=60)
        await connection.close()


async def test_full_status():
    facade = client.ClientFacade.from_connection(shared["model"].connection())
    assert "ubuntu" in (await facade.FullStatus(patterns=None)).applications


async def test_reconnect():
    connection = await Connection.connect(**shared["model"].connection().connect_params())
    await asyncio.sleep(0.1)
    assert connection.is_open
    await connection._ws.close()
    assert not connection.is_open
    await shared["model"].block_until(lambda: connection.is_open, timeout=120)
    await connection.close()


async def test_verify_controller_cert():
    parameters = shared["model"].connection().connect_params()
    other = pathlib.Path(folder, "other.pem")
    process = await asyncio.create_subprocess_exec(
        *"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=other -keyout /dev/null -out".split(), other,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0
    with Raises(ssl.SSLError):
        await Connection.connect(**{**parameters, "cacert": other.read_text()})


async def test_user_info():
    connection = await shared["model"].connection().controller()
    manager = client.UserManagerFacade.from_connection(connection)
    users = await manager.UserInfo(entities=[client.Entity("user-admin")], include_disabled=True)
    await connection.close()
    assert [one.result.username for one in users.results] == ["admin"], users


async def test_juju_api_error():
    # Constraints are checked by the library itself by now, so the test sends another wrong request.
    facade = client.ApplicationFacade.from_connection(shared["model"].connection())
    with Raises(JujuAPIError):
        await facade.rpc({"type": "Application", "request": "Get", "version": facade.version, "params": {"application": 1}})


async def test_juju_error_in_results_list():
    facade = client.AnnotationsFacade.from_connection(shared["model"].connection())
    with Raises(JujuError):
        await facade.Set([client.EntityAnnotations(entity="badtag", annotations={"gui-x": "1"})])


async def test_expose_unexpose():
    app = shared["app"]
    assert app.supports_granular_expose_parameters()

    async def shown():
        status = await shared["model"].get_status(filters=["ubuntu"])
        found = status.applications["ubuntu"].exposed_endpoints or {}
        return {key: (one.expose_to_cidrs, one.expose_to_spaces) for key, one in found.items()}

    everywhere = ["0.0.0.0/0", "::/0"]
    lan = "10.0.0.0/24"
    for exposed, expected in (
        (None, {"": (everywhere, None)}),
        ({"": ExposedEndpoint(to_spaces=["alpha"])}, {"": (None, ["alpha"])}),
        ({"": ExposedEndpoint(to_cidrs=[lan])}, {"": ([lan], None)}),
        ({"": ExposedEndpoint(to_spaces=["alpha"], to_cidrs=[lan])}, {"": ([lan], ["alpha"])}),
        (
            {
                "": ExposedEndpoint(to_spaces=["alpha"], to_cidrs=[lan]),
                "ubuntu": ExposedEndpoint(to_cidrs=["10.42.42.0/24"]),
            },
            {"": ([lan], ["alpha"]), "ubuntu": (["10.42.42.0/24"], None)},
        ),
    ):
        await app.expose(exposed_endpoints=exposed)
        assert await shown() == expected, (await shown(), expected)
    await app.unexpose(exposed_endpoints=["ubuntu"])
    assert await shown() == {"": ([lan], ["alpha"])}, await shown()
    await app.unexpose()
    assert await shown() == {}, await shown()


async def test_secrets():
    # Secrets are added, listed, updated, granted, revoked and removed.
    model = shared["model"]
    assert (await model.add_secret(name="my-apitoken", data_args=["token=34ae35facd4"])).startswith("secret:")
    assert [one.label for one in await model.list_secrets()] == ["my-apitoken"]
    await model.update_secret(name="my-apitoken", new_name="new-token")
    assert [one.label for one in await model.list_secrets()] == ["new-token"]
    await model.grant_secret("new-token", "ubuntu")
    await model.revoke_secret("new-token", "ubuntu")
    assert [one.value.data for one in await model.list_secrets(show_secrets=True)], "contents"
    await model.remove_secret("new-token")
    assert await model.list_secrets() == []


async def main():
    outcomes.skips(NOT_HERE)
    found = {**vars(libjuju_models), **vars(libjuju_offers), **globals()}
    tests = [value for name, value in found.items() if name.startswith("test_") and inspect.iscoroutinefunction(value)]
    try:
        async with clean_model() as model:
            shared["model"] = model
            shared["app"] = await model.deploy(str(CHARMS["ubuntu"]), num_units=1)
            await idle(model, "ubuntu", status="active")
            await outcomes.runs(*tests)
    finally:
        shutil.rmtree(folder)
    outcomes.ends()


asyncio.run(main())
