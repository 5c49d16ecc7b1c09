"""Those of python-libjuju's integration tests that are about models: tests/integration/test_model.py."""
import asyncio
import contextlib
import json
import subprocess
import uuid
from unittest import mock

from juju import tag
from juju.client import client
from juju.errors import JujuError, JujuUnitError
from juju.exceptions import DeadEntityException
from juju.machine import Machine
from juju.model import Model, ModelObserver
from juju.relation import Relation
from juju.utils import block_until
from libjuju_world import CHARMS, GRIGRI, NAME, a_controller, bundle_of, clean_model, folder, idle, shared
from outcome import Raises

MYSQL = {"charm": str(CHARMS["mysql"]), "num_units": 0}
GHOST = {"charm": str(CHARMS["ghost"]), "num_units": 0}
BOTH = {"mysql": MYSQL, "ghost": GHOST}

# Bundles


async def test_deploy_local_bundle_dir():
    path = folder / "dir"
    path.mkdir()
    bundle_of("dir/bundle.yaml", applications=BOTH, relations=[["ghost", "mysql"]])
    async with clean_model() as model:
        await model.deploy(str(path))
        assert {"mysql", "ghost"} <= model.applications.keys(), model.applications
        await model.block_until(lambda: len(model.relations) == 1, timeout=240)


async def test_deploy_bundle_local_resource_relative_path():
    (folder / "res.file").write_text("resource")
    app = {"charm": str(CHARMS["file-resource-charm"]), "num_units": 0, "resources": {"file-res": "./res.file"}}
    async with clean_model() as model:
        await model.deploy(str(bundle_of("resource.yaml", applications={"file-resource-charm": app})))
        assert "file-resource-charm" in model.applications


async def test_deploy_local_bundle_include_file():
    (folder / "config1.yaml").write_text(json.dumps({"ghost": {"port": 2369, "url": "http://my-ghost.blg"}}))
    ghost = {**GHOST, "options": {"config": "include-file://config1.yaml"}}
    async with clean_model() as model:
        await model.deploy(str(bundle_of("include.yaml", applications={"ghost": ghost})))
        config = await model.applications["ghost"].get_config()
        assert (config["port"]["value"], config["url"]["value"]) == (2369, "http://my-ghost.blg"), config


async def test_deploy_local_bundle_include_base64():
    # The library sends what the file's base64 says, as YAML's !!binary.
    (folder / "level").write_text("ZmFzdA==")
    mysql = {**MYSQL, "options": {"tuning-level": "include-base64://level"}}
    async with clean_model() as model:
        await model.deploy(str(bundle_of("base64.yaml", applications={"mysql": mysql})))
        config = await model.applications["mysql"].get_config()
        assert config["tuning-level"]["value"] == "fast", config


async def test_deploy_local_bundle_with_overlay_multi():
    path = folder / "multi.yaml"
    overlay = {"applications": {"ghost": None}}
    main = bundle_of("one.yaml", applications=BOTH, relations=[["ghost", "mysql"]])
    path.write_text(f"{main.read_text()}\n--- \n{json.dumps(overlay)}\n")
    async with clean_model() as model:
        await model.deploy(str(path))
        assert set(model.applications) == {"mysql"}, model.applications


async def test_deploy_bundle_with_overlay_as_argument():
    overlay = bundle_of("overlay.yaml", applications={"mysql": None, "ghost": {"options": {"port": 2369}}})
    async with clean_model() as model:
        await model.deploy(str(bundle_of("two.yaml", applications=BOTH)), overlays=[str(overlay)])
        assert set(model.applications) == {"ghost"}, model.applications
        assert (await model.applications["ghost"].get_config())["port"]["value"] == 2369


async def test_deploy_invalid_bundle():
    async with clean_model() as model:
        with Raises(JujuError):
            await model.deploy(str(bundle_of("invalid.yaml", applications=BOTH, relations=[["ghost", "none"]])))


# Machines, relations, keys, settings, annotations, storage


async def test_add_machine():
    async with clean_model() as model:
        machine1 = await model.add_machine()
        machine2 = await model.add_machine(
            # Disks of the library's test are left out, as they are not supported.
            constraints={"arch": "amd64", "mem": 256}, series="noble"
        )
        machine3 = await model.add_machine(f"lxd:{machine2.id}")
        assert all(isinstance(one, Machine) for one in (machine1, machine2, machine3))
        assert len(model.machines) == 3, model.machines
        for machine in (machine3, machine2, machine1):
            # The library looks at the machine once more, which may be gone by then.
            with contextlib.suppress(DeadEntityException):
                assert await machine.destroy(force=True) is None
        await model.block_until(lambda: not model.machines, timeout=240)


async def test_relate():
    async with clean_model() as model:
        await model.deploy(str(CHARMS["ubuntu"]), num_units=0)
        await model.deploy(str(CHARMS["nrpe"]), num_units=0)
        added = asyncio.Event()

        class Observer(ModelObserver):
            async def on_relation_add(self, delta, old, new, model):
                if set(new.key.split()) == {"nrpe:general-info", "ubuntu:juju-info"}:
                    added.set()

        model.add_observer(Observer())
        facade = client.ApplicationFacade.from_connection(model.connection())
        late = mock.MagicMock()

        async def add_late(*args, **kwargs):
            # The model's watcher tells of the relation before the answer comes.
            result = await facade.AddRelation(*args, **kwargs)
            await added.wait()
            return result

        late.AddRelation = add_late
        with mock.patch.object(client.ApplicationFacade, "from_connection", return_value=late):
            relation = await asyncio.wait_for(model.integrate("ubuntu", "nrpe"), 60)
        assert isinstance(relation, Relation) and relation.is_subordinate, relation


async def test_ssh_key():
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdmZ2ZnZmdm libjuju@tests"
    async with clean_model() as model:
        async def keys():
            results = (await model.get_ssh_key(True)).serialize()["results"][0].serialize()
            return results["result"] or []

        before = await keys()
        await model.add_ssh_key("admin", key)
        assert key in await keys()
        await model.remove_ssh_key("admin", key)
        assert await keys() == before


async def test_get_machines():
    assert await shared["model"].get_machines() == list(shared["model"].machines)


async def test_config():
    async with clean_model() as model:
        assert "extra-info" not in await model.get_config()
        await model.set_config({"extra-info": "booyah", "test-mode": client.ConfigValue(value=True)})
        config = await model.get_config()
        assert (config["extra-info"].source, config["extra-info"].value) == ("model", "booyah"), config["extra-info"]


async def test_config_with_json():
    async with clean_model() as model:
        expected = ["foo", {"bar": 1}]
        await model.set_config({"extra-complex-info": json.dumps(expected)})
        config = await model.get_config()
        assert json.loads(config["extra-complex-info"].value) == expected, config["extra-complex-info"]


async def test_set_constraints():
    async with clean_model() as model:
        await model.set_constraints({"cpu-power": 1})
        assert (await model.get_constraints())["cpu_power"] == 1


async def annotates(entity):
    assert await entity.get_annotations() == {}
    expected = {"foo": "bar", "another": "value"}
    await entity.set_annotations(expected)
    assert await entity.get_annotations() == expected
    await entity.set_annotations({key: "" for key in expected})
    assert await entity.get_annotations() == {}


async def test_model_annotations():
    await annotates(shared["model"])


async def test_machine_annotations():
    await annotates(shared["model"].machines["0"])


async def test_application_annotations():
    await annotates(shared["app"])


async def test_unit_annotations():
    await annotates(shared["app"].units[0])


async def test_add_storage():
    tags = await shared["app"].units[0].add_storage("pgdata", size=16)
    assert any(tag.storage("pgdata") in one for one in tags), tags


async def test_list_storage():
    model = shared["model"]
    assert any(tag.storage("pgdata") in one["storage-tag"] for one in await model.list_storage())
    await model.list_storage(filesystem=True)
    await model.list_storage(volume=True)


async def test_storage_pools():
    model = shared["model"]
    await model.create_storage_pool("test-pool", "tmpfs")
    assert "test-pool" in [one["name"] for one in await model.list_storage_pools()]
    await model.remove_storage_pool("test-pool")


# Local charms, waiting


async def test_deploy_local_charm():
    status = await shared["model"].get_status()
    app = status.applications["ubuntu"]
    assert (app.charm, app.status.status, app.workload_version) == ("local:ubuntu-0", "active", "1.2.3"), app
    assert shared["model"].units["ubuntu/0"].workload_status == "active"


async def test_wait_local_charm_blocked():
    async with clean_model() as model:
        await model.deploy(str(CHARMS["ubuntu"]), config={"status": "blocked"})
        await idle(model)
        with Raises(JujuUnitError):
            await idle(model, status="active", raise_on_blocked=True, timeout=240)


async def test_wait_local_charm_waiting_timeout():
    async with clean_model() as model:
        await model.deploy(str(CHARMS["ubuntu"]), config={"status": "waiting"})
        await idle(model)
        with Raises(asyncio.TimeoutError):
            await idle(model, status="active", timeout=3)


async def test_deploy_bundle_local_charms():
    apps = {name: {"charm": str(CHARMS["ubuntu"]), "num_units": 1} for name in ("test1", "test2")}
    async with clean_model() as model:
        await model.deploy(bundle_of("local.yaml", applications=apps))
        await idle(model, "test1", "test2", status="active")
        assert set(model.units) == {"test1/0", "test2/0"}, model.units


async def test_deploy_local_charm_folder_symlink():
    link = folder / "linked"
    link.symlink_to(CHARMS["ubuntu"])
    async with clean_model() as model:
        app = await model.deploy(str(link), num_units=0)
        assert app.charm_url == "local:ubuntu-0", app.charm_url


async def test_local_file_resource_charm():
    file = folder / "test.file"
    file.write_text("resource")
    async with clean_model() as model:
        app = await model.deploy(str(CHARMS["file-resource-charm"]), resources={"file-res": str(file)}, num_units=0)
        resources = client.ResourcesFacade.from_connection(model.connection())
        listed = (await resources.ListResources([client.Entity(app.tag)])).results[0].resources
        assert [(one.name, one.unknown_fields["size"]) for one in listed] == [("file-res", 8)], listed
        # test_attach_resource
        for mode in ("r", "rb"):
            file.write_text(f"attached {mode}")
            with open(file, mode) as opened:
                app.attach_resource("file-res", str(file), opened)
        listed = (await resources.ListResources([client.Entity(app.tag)])).results[0].resources
        assert [one.unknown_fields["size"] for one in listed] == [11], listed


async def test_wait_for_idle_without_units():
    async with clean_model() as model:
        await model.deploy(str(CHARMS["ubuntu"]), num_units=0)
        with Raises(asyncio.TimeoutError):
            await idle(model, timeout=3)


async def test_wait_for_idle_with_units():
    # Cases: too few units, enough units, exactly as many, and scaled down.
    model, app = shared["model"], shared["app"]
    with Raises(asyncio.TimeoutError):
        await idle(model, "ubuntu", wait_for_at_least_units=2, timeout=3)
    await app.add_units(2)
    await idle(model, "ubuntu", wait_for_at_least_units=3)
    await idle(model, "ubuntu", wait_for_exact_units=3)
    await app.destroy_units(*[unit.name for unit in app.units if unit.name != "ubuntu/0"])
    await idle(model, "ubuntu", wait_for_exact_units=1)


async def test_explicit_loop_threaded():
    name = shared["model"].name

    async def deploys():
        model = Model()
        await model.connect(f"{NAME}:admin/{name}")
        try:
            await model.deploy(str(CHARMS["mysql"]), num_units=0)
        finally:
            await model.disconnect()

    await asyncio.to_thread(lambda: asyncio.new_event_loop().run_until_complete(deploys()))
    await shared["model"]._wait_for_new("application", "mysql")
    await shared["model"].remove_application("mysql", block_until_done=True, timeout=240)


# Connections


async def test_connect_to_connection():
    async with clean_model() as model:
        other = Model()
        assert not other.is_connected()
        await other.connect_to(model.connection())
        assert other.is_connected()
        await other.disconnect()


async def test_connect_current():
    name = f"test-{uuid.uuid4().hex[:8]}"
    subprocess.run([GRIGRI, "add-model", name, "-c", NAME], check=True, capture_output=True)
    try:
        model = Model()
        await model.connect_current()
        assert model.is_connected() and model.name == name, model.name
        await model.disconnect()
    finally:
        subprocess.run([GRIGRI, "destroy-model", "--no-prompt", name], check=True, capture_output=True)


async def test_model_cache_update():
    async with a_controller() as controller:
        name = f"test-{uuid.uuid4().hex[:8]}"
        added = await controller.add_model(name)
        assert name in await controller.model_uuids()
        model = Model()
        await model.connect(f"{NAME}:{name}")
        await model.disconnect()
        await added.disconnect()
        await controller.destroy_models(name)


async def test_watcher_reconnect():
    async with clean_model() as model:
        await model.connection().close()
        await block_until(model.is_connected, timeout=120)


async def test_export_bundle():
    file = folder / "exported.yaml"
    await shared["model"].export_bundle(str(file))
    assert "ubuntu" in file.read_text()
