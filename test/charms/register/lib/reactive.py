"""Flags that outlive a hook, and handlers that run when their flags are set."""
import atexit
import json
import os
import sqlite3

import hookenv

_handlers = []


class Store:
    """Keys and values in .unit-state.db of the charm's folder, written when the hook has gone well."""

    def __init__(self):
        path = os.environ.get("UNIT_STATE_DB") or os.path.join(os.environ["CHARM_DIR"], ".unit-state.db")
        self.connection = sqlite3.connect(path)
        self.connection.execute("create table if not exists kv (key text primary key, data text)")

    def get(self, key, default=None):
        row = self.connection.execute("select data from kv where key = ?", [key]).fetchone()
        return json.loads(row[0]) if row else default

    def set(self, key, value):
        self.connection.execute("insert or replace into kv values (?, ?)", [key, json.dumps(value)])

    def unset(self, key):
        self.connection.execute("delete from kv where key = ?", [key])

    def keys(self, prefix):
        rows = self.connection.execute("select key from kv where key like ? order by key", [prefix + "%"])
        return [row[0][len(prefix):] for row in rows]

    def flush(self):
        self.connection.commit()


kv = Store()
atexit.register(kv.connection.close)


def set_flag(flag):
    kv.set("flag." + flag, True)


def clear_flag(flag):
    kv.unset("flag." + flag)


def is_flag_set(flag):
    return bool(kv.get("flag." + flag))


def get_flags():
    return kv.keys("flag.")


def _handler(holds):
    def register(function):
        _handlers.append((holds, function))
        return function

    return register


def when(*flags):
    return _handler(lambda: all(map(is_flag_set, flags)))


def when_not(*flags):
    return _handler(lambda: not any(map(is_flag_set, flags)))


def hook(*names):
    return _handler(lambda: hookenv.hook_name() in names)


def _config_flags():
    old, new = kv.get("config", {}), hookenv.config()
    for option, value in new.items():
        if old.get(option) != value:
            set_flag("config.changed")
            set_flag("config.changed." + option)
    kv.set("config", new)


def _endpoint_flags():
    meta = hookenv.metadata()
    for role in ("provides", "requires", "peers"):
        for endpoint in meta.get(role, {}):
            ids = hookenv.relation_ids(endpoint)
            joined = any(hookenv.related_units(relid) for relid in ids)
            (set_flag if joined else clear_flag)(f"endpoint.{endpoint}.joined")


def main():
    hookenv.log(f"Reactive main running for hook {hookenv.hook_name()}", "DEBUG")
    if not is_flag_set("basic.bootstrapped"):
        set_flag("basic.bootstrapped")
    _config_flags()
    _endpoint_flags()
    done = set()
    while True:
        ready = [each for each in _handlers if each[1] not in done and each[0]()]
        if not ready:
            break
        done.add(ready[0][1])
        hookenv.log(f"Invoking reactive handler: {ready[0][1].__name__}", "DEBUG")
        ready[0][1]()
    for flag in get_flags():
        if flag.startswith("config.changed"):
            clear_flag(flag)
    kv.flush()
