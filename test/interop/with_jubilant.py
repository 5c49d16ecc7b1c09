"""What jubilant does with a `juju`, done with grigri: its calls, and its own types read what grigri prints."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import jubilant

CONTROLLER, GRIGRI, HERE, EXAMPLES = sys.argv[1:]
CHARM = pathlib.Path(HERE, "toolbox-charm")


def say(*words):
    print(*words, flush=True)


def shown(juju, *parts):
    """Waits until the only unit's status has these parts."""
    message = "?"

    def ready(status):
        nonlocal message
        unit = status.apps["toolbox"].units["toolbox/0"]
        message = unit.workload_status.message
        return unit.is_active and unit.juju_status.current == "idle" and all(part in message for part in parts)

    try:
        return juju.wait(ready, error=jubilant.any_error, delay=0.3, successes=1)
    except TimeoutError as error:
        raise AssertionError(f"{message!r} has not {parts}") from error


def another_version(folder, number, metadata=""):
    """A copy of the charm that says another version."""
    charm = pathlib.Path(folder, f"v{number}")
    shutil.copytree(CHARM, charm, symlinks=True)
    pathlib.Path(charm, "edition").write_text(f"{number}\n")
    with pathlib.Path(charm, "metadata.yaml").open("a") as file:
        file.write(metadata)
    return charm


def raises(kind, call, text):
    try:
        call()
    except kind as error:
        parts = [str(error), getattr(error, "stderr", "") or "", getattr(error, "stdout", "") or ""]
        assert any(text in part for part in parts), parts
        return error
    raise AssertionError(f"no {kind.__name__}")


def deploys(juju, folder):
    blob = pathlib.Path(folder, "blob.txt")
    blob.write_text("first")
    juju.deploy(
        CHARM,
        resources={"blob": str(blob)},
        storage={"data": "1,100M"},
        config={"greeting": "hi"},
        constraints={"mem": "256M"},
    )
    status = shown(juju, "edition 1", "greeting hi", "blob first", "token none")
    app = status.apps["toolbox"]
    assert (app.charm_name, app.charm_rev, app.charm_origin, app.exposed) == ("toolbox", 0, "local", False), app
    assert app.base.name == "ubuntu" and app.base.channel.startswith("24.04"), app.base
    unit = app.units["toolbox/0"]
    assert unit.leader and unit.public_address and unit.machine == "0", unit
    machine = status.machines["0"]
    assert machine.juju_status.current == "started" and machine.ip_addresses, machine
    assert status.model.name == juju.show_model().short_name == "jubilant", status.model
    assert status.get_units("toolbox").keys() == {"toolbox/0"}
    info = juju.show_unit("toolbox/0")
    assert (info.leader, info.machine, info.charm) == (True, "0", "local:toolbox-0"), info
    assert juju.version().tuple >= (3, 6, 0)
    say("deployed with a resource, storage, settings and constraints")


def sets(juju):
    assert juju.config("toolbox") == {"greeting": "hi"}, juju.config("toolbox")
    assert juju.config("toolbox", app_config=True) == {"trust": False}
    juju.config("toolbox", {"greeting": "servus"})
    shown(juju, "greeting servus")
    juju.config("toolbox", reset="greeting")
    shown(juju, "greeting hello")
    juju.trust("toolbox")
    assert juju.config("toolbox", app_config=True) == {"trust": True}
    juju.trust("toolbox", remove=True)
    assert juju.config("toolbox", app_config=True) == {"trust": False}
    juju.model_config({"update-status-hook-interval": "10m"})
    assert juju.model_config()["update-status-hook-interval"] == "10m"
    juju.model_config(reset="update-status-hook-interval")
    juju.model_constraints({"cores": 1})
    assert juju.model_constraints() == {"cores": 1}
    say("settings, trust, the model's settings and constraints")


def runs(juju):
    task = juju.run("toolbox/leader", "greet", {"name": "jubilant"})
    assert task.success and task.results == {"greeting": "hello, jubilant"}, task
    assert task.stdout == "said\n" and task.return_code == 0 and task.log[0].endswith("about to greet"), task
    refused = raises(jubilant.TaskError, lambda: juju.run("toolbox/0", "refuse"), "not today").task
    assert (refused.status, refused.message) == ("failed", "not today"), refused
    crashed = raises(jubilant.TaskError, lambda: juju.run("toolbox/0", "crash"), "").task
    assert (crashed.status, crashed.return_code, crashed.stderr) == ("failed", 3, "broken\n"), crashed
    raises(TimeoutError, lambda: juju.run("toolbox/0", "linger", wait=0.5), "timed out")
    raises(ValueError, lambda: juju.run("toolbox/0", "none"), "none")
    raises(ValueError, lambda: juju.run("toolbox/9", "greet"), "toolbox/9")
    raises(ValueError, lambda: juju.run("toolbox/0", "greet", {"nobody": 1}), "nobody")
    juju.cli("cancel-task", lingering(juju))
    assert juju.exec("echo of $JUJU_UNIT_NAME", unit="toolbox/0").stdout == "of toolbox/0\n"
    assert juju.exec("hostname", machine=0).stdout.strip()
    assert juju.exec("config-get", "greeting", unit="toolbox/leader").stdout == "hello\n"
    failed = raises(jubilant.TaskError, lambda: juju.exec("echo out; exit 7", unit="toolbox/0"), "").task
    assert (failed.return_code, failed.stdout) == (7, "out\n"), failed
    raises(TimeoutError, lambda: juju.exec("sleep 20", unit="toolbox/0", wait=0.5), "timed out")
    say("actions and commands")


def lingering(juju):
    operations = json.loads(juju.cli("operations", "--actions", "linger", "--format", "json"))
    shown_one = json.loads(juju.cli("show-operation", next(iter(operations)), "--format", "json"))
    return next(iter(shown_one["tasks"]))


def keeps_secrets(juju):
    uri = juju.add_secret("token", {"value": "one"}, info="a token")
    assert uri.startswith("secret:"), uri
    raises(jubilant.CLIError, lambda: juju.add_secret("token", {"value": "two"}), "already exists")
    juju.grant_secret("token", "toolbox")
    juju.config("toolbox", {"token": uri})
    assert juju.config("toolbox")["token"] == uri
    shown(juju, "token one")
    juju.update_secret(uri, {"value": "two"}, info="another token", name="key")
    shown(juju, "token two")
    secret = juju.show_secret("key", reveal=True)
    assert secret.uri == uri and secret.content == {"value": "two"} and secret.revision == 2, secret
    assert (secret.name, secret.description, secret.owner) == ("key", "another token", "<model>"), secret
    access = juju.show_secret(uri).access
    assert [(one.target, one.role) for one in access] == [("application-toolbox", "view")], access
    listed = juju.show_secret(uri, revisions=True)
    assert [one.revision for one in listed.revisions] == [1, 2], listed
    by_owner = {one.owner: one for one in juju.secrets()}
    assert by_owner.keys() == {"<model>", "toolbox"}, by_owner
    assert [one.owner for one in juju.secrets(owner="application-toolbox")] == ["toolbox"]
    own = juju.show_secret(by_owner["toolbox"].uri, reveal=True)
    assert own.content == {"password": "own-password"} and own.label == "own", own
    juju.remove_secret(uri, revision=1)
    juju.config("toolbox", reset="token")
    shown(juju, "token none")
    juju.remove_secret("key")
    assert [one.owner for one in juju.secrets()] == ["toolbox"]
    say("secrets of users and of the charm")


def refreshes(juju, folder):
    blob = pathlib.Path(folder, "blob.txt")
    juju.refresh("toolbox", path=another_version(folder, 2), config={"greeting": "ciao"})
    shown(juju, "edition 2", "greeting ciao", "blob first")
    blob.write_text("second")
    juju.cli("attach-resource", "toolbox", f"blob={blob}")
    shown(juju, "edition 2", "blob second")
    third = another_version(folder, 3)
    metadata = pathlib.Path(third, "metadata.yaml")
    more = "storage:\n  logs: { type: filesystem, multiple: { range: 1-3 } }\n"
    metadata.write_text(metadata.read_text().replace("storage:\n", more))
    blob.write_text("third")
    juju.refresh("toolbox", path=third, resources={"blob": str(blob)}, storage={"logs": "tmpfs,2,10M"}, trust=True)
    status = shown(juju, "edition 3", "blob third")
    assert status.apps["toolbox"].charm_rev == 2, status.apps["toolbox"]
    # The unit has storage that its previous charm did not declare.
    logs = [one for name, one in status.storage.storage.items() if name.startswith("logs/")]
    assert [one.status.current for one in logs] == ["attached", "attached"], status.storage
    listed = json.loads(juju.cli("resources", "toolbox", "--format", "json"))
    assert [(one["name"], one["size"], one["origin"], one["used"]) for one in listed["resources"]] == [
        ("blob", 5, "upload", True)
    ], listed
    lost = another_version(folder, 4)
    pathlib.Path(lost, "metadata.yaml").write_text("name: toolbox\nsummary: s\ndescription: d\n")
    raises(jubilant.CLIError, lambda: juju.refresh("toolbox", path=lost), 'required storage "logs" removed')
    raises(jubilant.CLIError, lambda: juju.refresh("toolbox", path=f"{EXAMPLES}/kv"), 'cannot refresh "toolbox" to "kv"')
    say("refreshed, resources attached")


def stores(juju):
    status = juju.status()
    storage = status.storage.storage["data/0"]
    assert storage.kind == "filesystem" and storage.status.current == "attached", storage
    assert storage.attachments.units["toolbox/0"].machine == "0", storage
    assert [one.pool for one in status.storage.filesystems.values()] == ["rootfs"], status.storage
    assert juju.ssh("toolbox/0", "cat", f"{storage.attachments.units['toolbox/0'].location}/file") == "kept\n"
    juju.cli("add-storage", "toolbox/0", "data=local,50M")
    is_stored(juju, "attached")
    juju.cli("detach-storage", "data/1")
    is_stored(juju, "detached")
    juju.cli("attach-storage", "toolbox/0", "data/1")
    is_stored(juju, "attached")
    juju.cli("detach-storage", "data/1")
    is_stored(juju, "detached")
    juju.cli("remove-storage", "data/1")
    juju.wait(lambda one: one.storage.storage.keys() == {"data/0"}, delay=0.3, successes=1)
    say("storage listed, added, detached, attached and removed")


def is_stored(juju, status):
    def ready(one):
        storage = one.storage.storage.get("data/1")
        return storage is not None and storage.status.current == status

    juju.wait(ready, delay=0.3, successes=1)


def reaches(juju, folder):
    key = pathlib.Path(folder, "id_ed25519")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me@here", "-f", key], check=True)
    juju.add_ssh_key(key.with_suffix(".pub").read_text().strip())
    assert "me@here" in juju.cli("ssh-keys")
    assert juju.ssh("toolbox/0", "echo", "over ssh") == "over ssh\n"
    assert juju.ssh(0, "whoami", user="ubuntu") == "ubuntu\n"
    assert juju.ssh("toolbox/0", "echo with options", ssh_options=["-o", "LogLevel=ERROR"]) == "with options\n"
    source = pathlib.Path(folder, "sent")
    source.mkdir()
    pathlib.Path(source, "one").write_text("sent")
    juju.scp(source, "toolbox/0:/tmp/", scp_options=["-r"])
    back = pathlib.Path(folder, "back")
    juju.scp("toolbox/0:/tmp/sent/one", back)
    assert back.read_text() == "sent"
    juju.remove_ssh_key("me@here")
    assert "me@here" not in juju.cli("ssh-keys")
    log = juju.debug_log(limit=20)
    assert 0 < len(log.splitlines()) <= 20, log
    assert "unit-toolbox-0" in juju.debug_log(), "the model's log"
    say("ssh, scp, keys, the log")


def relates(juju):
    juju.deploy(f"{EXAMPLES}/web", "web", num_units=1)
    juju.wait(lambda status: jubilant.all_blocked(status, "web"), delay=0.3, successes=1)
    juju.deploy(f"{EXAMPLES}/kv", "kv")
    juju.integrate("web:db", "kv:db")
    status = juju.wait(
        lambda one: jubilant.all_active(one, "web", "kv") and jubilant.all_agents_idle(one, "web", "kv"),
        error=jubilant.any_error,
    )
    assert [one.related_app for one in status.apps["web"].relations["db"]] == ["kv"], status.apps["web"]
    related = juju.show_unit("web/0").relation_info
    assert [one.endpoint for one in related] == ["db"] and "kv/0" in related[0].related_units, related
    raises(jubilant.CLIError, lambda: juju.integrate("web:db", "kv:db"), "already exists")
    juju.add_unit("kv", num_units=2)
    juju.wait(lambda one: len(one.get_units("kv")) == 3 and jubilant.all_active(one, "kv"), delay=0.3, successes=1)
    juju.remove_unit("kv/2")
    juju.wait(lambda one: len(one.get_units("kv")) == 2, delay=0.3, successes=1)
    juju.remove_relation("web:db", "kv:db")
    juju.wait(lambda one: jubilant.all_blocked(one, "web"), delay=0.3, successes=1)
    juju.remove_application("web", "kv")
    juju.wait(lambda one: one.apps.keys() == {"toolbox"}, delay=0.3, successes=1)
    juju.add_machine(constraints={"mem": "256M"})
    juju.wait(lambda one: jubilant.all_agents_idle(one) and len(one.machines) == 2, delay=0.3, successes=1)
    say("related, scaled, removed")


def main():
    juju = jubilant.Juju(cli_binary=GRIGRI, wait_timeout=180)
    juju.add_model("jubilant", controller=CONTROLLER)
    with tempfile.TemporaryDirectory() as folder:
        deploys(juju, folder)
        sets(juju)
        runs(juju)
        keeps_secrets(juju)
        stores(juju)
        refreshes(juju, folder)
        reaches(juju, folder)
        relates(juju)
    juju.remove_application("toolbox", destroy_storage=True)
    juju.wait(lambda one: not one.apps, delay=0.3, successes=1)
    juju.destroy_model(juju.model, destroy_storage=True)
    assert juju.model is None
    # The CLI is called by the name of Juju's own client, as in tests of charms.
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "juju").symlink_to(GRIGRI)
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        with jubilant.temp_model(controller=CONTROLLER) as temporary:
            assert not temporary.status().apps
    say("models destroyed")


main()
