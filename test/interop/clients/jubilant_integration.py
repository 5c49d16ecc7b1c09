"""jubilant's integration tests, under their names, with the CLI as its `juju`. They are written after what the tests of
jubilant 1.14 call (no release ships them), with local charms in place of those of Charmhub."""
import asyncio
import dataclasses
import datetime
import json
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
import typing
import urllib.request
import uuid

import jubilant
from charms import write_charms
from outcome import Outcomes, Raises, Skipped

CONTROLLER, GRIGRI = sys.argv[1:3]
outcomes = Outcomes(*sys.argv[3:])
folder = pathlib.Path(tempfile.mkdtemp(prefix="jubilant-"))
# Link under the name that jubilant calls.
(folder / "juju").symlink_to(GRIGRI)
os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
CHARMS = write_charms(folder / "charms")
FILE = folder / "empty.tar"
tarfile.open(FILE, "w").close()

NEEDS_KUBERNETES = {
    "exec_error_machine_on_k8s": "Kubernetes",
    "ssh_and_scp": "containers of Kubernetes (ssh and scp to machines are tested)",
    "deploy_with_resources": "OCI images (a file resource is tested in relations)",
}

juju = None
model2 = None


def needs_command(name):
    if name not in juju.cli("help", "commands", include_model=False):
        raise Skipped(f"grigri has no command {name} yet")


def waits(condition, model=None):
    return (model or juju).wait(condition, delay=0.3, successes=1)


# test_config.py, test_execution.py


def test_setup_testdb():
    juju.deploy(CHARMS["testdb"])
    waits(lambda status: status.apps["testdb"].units["testdb/0"].workload_status.current == "unknown")


def test_config():
    assert juju.config("testdb")["testoption"] == ""
    juju.config("testdb", {"testoption": "foobar"})
    assert juju.config("testdb")["testoption"] == "foobar"


def test_trust():
    assert juju.config("testdb", app_config=True)["trust"] is False
    juju.trust("testdb", scope="cluster")
    assert juju.config("testdb", app_config=True)["trust"] is True
    juju.trust("testdb", remove=True, scope="cluster")
    assert juju.config("testdb", app_config=True)["trust"] is False


def test_run_success():
    task = juju.run("testdb/0", "do-thing", {"param1": "value1"})
    assert task.success and task.return_code == 0, task
    assert task.results == {"config": {"testoption": "foobar"}, "params": {"param1": "value1"}, "thingy": "foo"}, task


def test_run_error():
    with Raises(jubilant.TaskError) as raised:
        juju.run("testdb/0", "do-thing", {"error": "ERR"})
    task = raised.value.task
    assert (task.success, task.status, task.return_code) == (False, "failed", 0), task
    assert task.message == "failed with error: ERR", task


def test_run_exception():
    with Raises(jubilant.TaskError) as raised:
        juju.run("testdb/0", "do-thing", {"exception": "EXC"})
    task = raised.value.task
    assert task.status == "failed" and task.return_code != 0 and "EXC" in task.stderr, task


def test_run_timeout():
    with Raises(TimeoutError):
        juju.run("testdb/0", "do-thing", wait=0.001)


def test_run_action_not_defined():
    with Raises(ValueError):
        juju.run("testdb/0", "action-not-defined")


def test_run_unit_not_found():
    with Raises(ValueError):
        juju.run("testdb/42", "do-thing")


def test_exec_success():
    task = juju.exec("echo foo", unit="testdb/0")
    assert (task.success, task.return_code, task.stdout, task.stderr) == (True, 0, "foo\n", ""), task
    assert juju.exec("echo", "bar", "baz", unit="testdb/0").stdout == "bar baz\n"


def test_exec_error():
    with Raises(jubilant.TaskError) as raised:
        juju.exec("sleep x", unit="testdb/0")
    assert raised.value.task.stdout == "" and "invalid time" in raised.value.task.stderr, raised.value.task


def test_exec_timeout():
    with Raises(TimeoutError):
        juju.exec("sleep 1", unit="testdb/0", wait=0.001)


def test_exec_unit_not_found():
    with Raises(ValueError):
        juju.exec("echo foo", unit="testdb/42")


def test_cli_input():
    assert juju.cli("ssh", "testdb/0", "cat", stdin="foo") == "foo"


# test_cloud.py, test_credentials.py


def changes_cloud(name, where, **scope):
    def definition(endpoint):
        cloud = {"type": "openstack", "auth-types": ["userpass"], "regions": {"dev-region": {"endpoint": endpoint}}}
        return {"clouds": {name: cloud}}

    def shown():
        return juju.cli("show-cloud", *where, name, include_model=False)

    juju.add_cloud(name, definition("https://added.local:5000/v3"), **scope)
    try:
        assert "https://added.local:5000/v3" in shown(), shown()
        juju.update_cloud(name, definition("https://updated.local:5000/v3"), **scope)
        assert "https://updated.local:5000/v3" in shown(), shown()
    finally:
        juju.cli("remove-cloud", *where, name, include_model=False)


def test_add_and_update_cloud_client():
    changes_cloud("it-cloud-client", ["--client"], client=True)


def test_add_and_update_cloud_controller():
    controller = juju.show_model().controller_name
    assert controller == CONTROLLER, controller
    changes_cloud("it-cloud-controller", ["--controller", controller], controller=controller)


def test_add_credential():
    details = {"auth-type": "access-key", "access-key": "fake-access-key", "secret-key": "fake-secret-key"}
    juju.add_credential("aws", {"credentials": {"aws": {"cred1": details}}}, client=True)
    listed = json.loads(juju.cli("credentials", "--format", "json", include_model=False))
    shown = listed["client-credentials"]["aws"]["cloud-credentials"]["cred1"]
    assert shown["details"]["access-key"] == "fake-access-key", listed
    juju.cli("remove-credential", "--client", "aws", "cred1", include_model=False)


# test_model.py


def test_show_model():
    info = juju.show_model()
    assert info.name.endswith("/" + juju.model) and info.short_name == juju.model, info
    assert not info.is_controller and info.status.current == "available", info
    uuid.UUID(info.model_uuid)
    uuid.UUID(info.controller_uuid)
    assert juju.show_model(juju.model).model_uuid == info.model_uuid


def test_user_qualified_model_name_is_transparent():
    info = juju.show_model()
    user = info.name.rpartition("/")[0]
    for name in (f"{user}/{juju.model}", f"{info.controller_name}:{user}/{juju.model}"):
        assert juju.show_model(name).model_uuid == info.model_uuid
        assert jubilant.Juju(model=name).show_model().model_uuid == info.model_uuid


# test_relations.py, test_show_unit.py


def test_integrate_and_remove_relation():
    juju.deploy(CHARMS["testapp"], resources={"test-file": str(FILE)})
    juju.integrate("testdb", "testapp")
    status = waits(jubilant.all_active)
    db, app = status.apps["testdb"], status.apps["testapp"]
    assert db.relations["db"][0].related_app == "testapp" and app.relations["db"][0].related_app == "testdb", status
    assert db.app_status.message == "relation created", db
    assert app.app_status.message == "relation changed: dbkey=dbvalue", app
    juju.remove_relation("testdb", "testapp")
    waits(lambda status: not status.apps["testdb"].relations and not status.apps["testapp"].relations)


def test_show_unit():
    juju.integrate("testdb", "testapp")
    waits(jubilant.all_active)
    info = juju.show_unit("testapp/0")
    assert (info.charm, info.life) == ("local:testapp-0", "alive") and isinstance(info.leader, bool), info
    assert info.machine or info.provider_id, info
    assert [(one.endpoint, one.related_endpoint) for one in info.relation_info] == [("db", "db")], info
    assert list(info.relation_info[0].related_units) == ["testdb/0"], info


# test_secrets.py


def test_add_secret():
    uri = juju.add_secret("sec1", {"username": "usr", "password": "hunter2"}, info="A description.")
    shown = juju.show_secret(uri, reveal=True)
    assert (shown.name, shown.description) == ("sec1", "A description."), shown
    assert shown.content == {"username": "usr", "password": "hunter2"}, shown


def test_update_secret():
    uri = juju.add_secret("sec2", {"username": "usr", "password": "hunter2"}, info="A description.")
    juju.update_secret("sec2", {"username": "usr2", "password": "hunter3"}, info="A new description.")
    shown = json.loads(juju.cli("show-secret", "sec2", "--reveal", "--format", "json"))[uri.unique_identifier]
    assert (shown["name"], shown["revision"], shown["description"]) == ("sec2", 2, "A new description."), shown
    assert shown["content"]["Data"] == {"username": "usr2", "password": "hunter3"}, shown


def test_get_all_secrets():
    found = [(one.revision, one.name, one.owner, one.description) for one in juju.secrets()]
    assert found == [
        (1, "sec1", "<model>", "A description."),
        (2, "sec2", "<model>", "A new description."),
    ], found
    assert all(age(one.created) < datetime.timedelta(hours=1) for one in juju.secrets())


def age(moment):
    return datetime.datetime.now(datetime.timezone.utc) - moment


def test_show_secret():
    secret = juju.show_secret("sec1")
    assert (secret.revision, secret.owner, secret.name) == (1, "<model>", "sec1"), secret
    assert secret.created == secret.updated and not hasattr(secret, "content"), secret
    first, second = (juju.show_secret("sec2", reveal=True, revision=number) for number in (1, 2))
    assert first.content == {"username": "usr", "password": "hunter2"}, first
    assert second.content == {"username": "usr2", "password": "hunter3"}, second
    both = juju.show_secret("sec2", revisions=True)
    assert [one.revision for one in both.revisions] == [1, 2] and not hasattr(both, "content"), both
    assert juju.show_secret(both.uri).name == both.name


# Members that the CLI prints are those of the library's own types


NAMES = {"apps": "applications", "app": "application", "related-app": "related-application"}
# Members of Juju 3.6 that the library (made of Juju 4) leaves out, and members that only grigri has
# (wire.md#status-json).
MORE = {
    "ModelStatus": {"sla", "notes"},
    "AppStatus": {"pending", "rollout"},
    "UnitStatus": {"unplaced"},
    "Status": {"strays"},
    "ModelInfo": {"owner", "sla"},
}


def unknown_keys(kind, value, path=""):
    """Where JSON has keys that a type of the library has not."""
    arguments = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin is dict:
        return [key for name, one in value.items() for key in unknown_keys(arguments[1], one, f"{path}/{name}")]
    if origin is list:
        return [key for one in value for key in unknown_keys(arguments[0], one, path)]
    if arguments:
        return unknown_keys(arguments[0], value, path)
    if not dataclasses.is_dataclass(kind):
        if kind in (str, int, bool) and not isinstance(value, kind):
            return [f"{path}: {value!r} is no {kind.__name__}"]
        return []
    hints = typing.get_type_hints(kind)
    found = []
    for key, one in value.items():
        field = {theirs: ours for ours, theirs in json_names(hints).items()}.get(key)
        if field:
            found += unknown_keys(hints[field], one, f"{path}/{key}")
        elif key not in MORE.get(kind.__name__, ()):
            found.append(f"{path}/{key}")
    return found


def json_names(fields):
    names = {}
    for field in fields:
        name = field.replace("_", "-")
        for short, long in (("app-", "application-"),):
            name = long + name[len(short):] if name.startswith(short) else name
        names[field] = NAMES.get(name, name)
    return names


def test_fields_of_status():
    juju.deploy(CHARMS["ubuntu"], "full", storage={"pgdata": "rootfs,1,16M"}, trust=True, constraints={"mem": "256M"})
    juju.deploy(CHARMS["nrpe"], "nrpe")
    juju.integrate("full", "nrpe")
    juju.cli("expose", "full")
    status = waits(
        lambda one: jubilant.all_active(one, "full", "nrpe") and jubilant.all_agents_idle(one) and one.get_units("nrpe")
    )
    printed = json.loads(juju.cli("status", "--format", "json", "--storage"))
    assert unknown_keys(jubilant.Status, printed) == []
    full, nrpe = status.apps["full"], status.apps["nrpe"]
    unit = full.units["full/0"]
    assert full.exposed and full.charm_origin == "local" and full.endpoint_bindings["ubuntu"] == "alpha", full
    assert full.app_status.since and full.version == "1.2.3", full
    relation = full.relations["juju-info"][0]
    assert (relation.related_app, relation.interface, relation.scope) == ("nrpe", "juju-info", "container"), full
    assert nrpe.subordinate_to == ["full"] and not nrpe.units, nrpe
    assert (unit.leader, unit.open_ports, list(unit.subordinates)) == (True, ["8080/tcp"], ["nrpe/0"]), unit
    assert unit.subordinates["nrpe/0"].is_active and unit.juju_status.version, unit
    machine = status.machines[unit.machine]
    assert machine.constraints == "mem=256M" and "arch=" in machine.hardware and machine.hostname, machine
    assert machine.machine_status.current == "running" and machine.modification_status.current, machine
    interface = next(iter(machine.network_interfaces.values()))
    assert interface.ip_addresses == machine.ip_addresses and interface.mac_address and interface.is_up, machine
    storage = status.storage.storage["pgdata/0"]
    assert (storage.kind, storage.status.current, storage.persistent) == ("filesystem", "attached", False), storage
    filesystem = next(one for one in status.storage.filesystems.values() if one.storage == "pgdata/0")
    # The file system is a folder of the machine's disk, and as large as that disk.
    assert filesystem.pool == "rootfs" and filesystem.size >= 16, filesystem
    assert filesystem.attachments.machines[unit.machine].mount_point, filesystem
    shown = json.loads(juju.cli("show-unit", "full/0", "nrpe/0", "--format", "json"))
    for name, one in shown.items():
        assert unknown_keys(jubilant.unittypes.UnitInfo, one) == [], (name, one)
    model = json.loads(juju.cli("show-model", "--format", "json"))[juju.model]
    assert unknown_keys(jubilant.modeltypes.ModelInfo, model) == [], model
    juju.remove_application("full", "nrpe", destroy_storage=True)
    waits(lambda one: not {"full", "nrpe"} & one.apps.keys())


# test_machine.py, test_deployment.py, test_basic.py


def test_deploy():
    key = folder / "key"
    os.system(f"ssh-keygen -q -t ed25519 -N '' -C jubilant@tests -f {key}")
    juju.add_ssh_key(key.with_suffix(".pub").read_text().strip())
    juju.deploy(CHARMS["ubuntu"])
    revision = waits(lambda status: jubilant.all_active(status, "ubuntu")).apps["ubuntu"].charm_rev
    # The charm is up to date already, so that only the upload happens.
    juju.refresh("ubuntu", path=CHARMS["ubuntu"])
    status = waits(lambda one: jubilant.all_agents_idle(one, "ubuntu") and one.apps["ubuntu"].charm_rev == revision + 1)
    assert status.apps["ubuntu"].version == "1.2.3", status.apps["ubuntu"]


def test_serves():
    juju.cli("expose", "ubuntu")
    unit = juju.status().apps["ubuntu"].units["ubuntu/0"]
    assert unit.open_ports == ["8080/tcp"], unit
    machine = int(unit.machine)
    juju.exec("python3 -m http.server 8080 -d /var/lib </dev/null >/dev/null 2>&1 &", machine=machine)
    for attempt in range(100):
        try:
            page = urllib.request.urlopen(f"http://{unit.public_address}:8080/", timeout=10)
            assert "juju" in page.read().decode()
            return
        except OSError:
            if attempt == 99:
                raise
            juju.exec("sleep 0.2", machine=machine)


def test_exec():
    task = juju.exec("echo foo", machine=0)
    assert (task.success, task.return_code, task.stdout, task.stderr) == (True, 0, "foo\n", ""), task
    assert juju.exec("echo", "bar", "baz", machine=0).stdout == "bar baz\n"


def test_ssh():
    options = ["-i", str(folder / "key")]
    assert juju.ssh("ubuntu/0", "echo", "UNIT", ssh_options=options) == "UNIT\n"
    assert juju.ssh(0, "echo", "MACHINE", ssh_options=options) == "MACHINE\n"


def test_scp_directory():
    source = folder / "src" / "mydir"
    source.mkdir(parents=True)
    (source / "a.txt").write_text("A")
    options = ["-r", "-i", str(folder / "key")]
    juju.scp(str(source), "ubuntu/0:/tmp/mydir", scp_options=options)
    (folder / "dst").mkdir()
    juju.scp("ubuntu/0:/tmp/mydir", str(folder / "dst" / "mydir"), scp_options=options)
    assert (folder / "dst" / "mydir" / "a.txt").read_text() == "A"
    juju.remove_ssh_key((folder / "key.pub").read_text().strip())


def test_add_and_remove_unit():
    juju.add_unit("ubuntu")
    waits(lambda status: len(status.apps["ubuntu"].units) == 2 and jubilant.all_active(status))
    # Units are removed by their number only on Kubernetes.
    with Raises(jubilant.CLIError):
        juju.remove_unit("ubuntu", num_units=1)
    juju.remove_unit("ubuntu/1")
    waits(lambda status: len(status.apps["ubuntu"].units) == 1 and jubilant.all_active(status))


def test_model_constraints():
    assert not juju.model_constraints()
    juju.model_constraints({"mem": "1G", "cores": 4})
    assert juju.model_constraints() == {"mem": 1024, "cores": 4}
    juju.model_constraints({"mem": "", "cores": ""})


def test_add_machine():
    before = set(juju.status().machines)
    juju.add_machine()
    added = set(waits(lambda status: bool(set(status.machines) - before)).machines) - before
    assert len(added) == 1, added
    juju.cli("remove-machine", "--no-prompt", "--force", *added)


def test_remove_application():
    juju.remove_application("ubuntu", "testapp")
    waits(lambda status: status.apps.keys() == {"testdb"})


def test_offer_and_consume():
    needs_command("offer")
    juju.offer("testdb", endpoint="db", name="db1")
    offers = json.loads(juju.cli("offers", "--format", "json"))
    assert offers["db1"]["application"] == "testdb", offers
    model2.deploy(CHARMS["testapp"], resources={"test-file": str(FILE)})
    model2.consume(f"{juju.model}.db1", "dbalias")
    model2.integrate("dbalias", "testapp")
    status, status2 = waits(jubilant.all_active), waits(jubilant.all_active, model2)
    assert status.apps["testdb"].app_status.message == "relation created", status
    assert status2.apps["testapp"].relations["db"][0].related_app == "dbalias", status2
    assert status2.apps["testapp"].app_status.message == "relation changed: dbkey=dbvalue", status2
    assert status2.app_endpoints["dbalias"].endpoints["db"].interface == "dbi", status2
    assert status.offers["db1"].total_connected_count == 1, status.offers


def main():
    global juju, model2
    outcomes.skips(NEEDS_KUBERNETES)
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    try:
        with jubilant.temp_model() as juju, jubilant.temp_model() as model2:
            juju.wait_timeout = model2.wait_timeout = 240
            asyncio.run(outcomes.runs(*tests))
    finally:
        shutil.rmtree(folder)
    outcomes.ends()


main()
