import json

import hookenv
from reactive import clear_flag, hook, is_flag_set, kv, set_flag, when, when_not


@when_not("register.installed")
def install():
    hookenv.status_set("maintenance", "installing")
    assert hookenv.status_get() == ("maintenance", "installing")
    hookenv.application_version_set("4.2")
    set_flag("register.installed")


@when("register.installed", "config.changed.port")
def move():
    old, new = kv.get("port"), hookenv.config()["port"]
    if old is not None and old != new:
        hookenv.close_port(old)
    hookenv.open_port(new)
    kv.set("port", new)


@when("register.installed", "config.changed")
def reconfigure():
    config = hookenv.config()
    assert isinstance(config["ratio"], (int, float)) and isinstance(config["readonly"], bool), config
    assert config["note"] is None, config
    for relid in hookenv.relation_ids("db"):
        publish(relid)


@hook("leader-elected")
def elected():
    if not hookenv.leader_get("token"):
        hookenv.leader_set(token="t-" + hookenv.local_unit().replace("/", "-"))
    set_flag("register.leader")


@hook("leader-settings-changed")
def followed():
    clear_flag("register.leader")


@hook("db-relation-joined")
def joined():
    publish(None)


@when("endpoint.cluster.joined")
def meet():
    for relid in hookenv.relation_ids("cluster"):
        peers = hookenv.related_units(relid)
        hookenv.relation_set(relid, met=json.dumps(sorted(peers)), gone=None)


@when("endpoint.db.joined")
def serve():
    knows = []
    for relid in hookenv.relation_ids("db"):
        publish(relid)
        for unit in hookenv.related_units(relid):
            said = hookenv.relation_get(relid, unit) or {}
            knows.append(f"{unit}:{said.get('database', '?')}")
    kv.set("knows", knows)


@when_not("endpoint.db.joined")
def alone():
    kv.set("knows", [])


@when("register.installed")
def report():
    if not is_flag_set("register.started") and hookenv.hook_name() != "start":
        return
    set_flag("register.started")
    knows = kv.get("knows", [])
    suffix = " readonly" if hookenv.config()["readonly"] else ""
    hookenv.status_set("active", (f"serving {' '.join(knows)}" if knows else "ready") + suffix)


def publish(relid):
    """To one relation, or to that of the hook."""
    import os

    relid = relid or os.environ["JUJU_RELATION_ID"]
    network = hookenv.network_get("db")
    assert hookenv.unit_get("private-address") == network["bind-addresses"][0]["addresses"][0]["address"], network
    config = hookenv.config()
    hookenv.relation_set(
        relid,
        host=network["ingress-addresses"][0],
        port=config["port"],
        name=config["prefix"] + hookenv.local_unit().replace("/", "-"),
        token=hookenv.leader_get("token") or "",
    )
