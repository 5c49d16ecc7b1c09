#!/usr/bin/python3
"""The web application's charm: one program for all events."""
import json, os, signal, socket, subprocess, time
from pathlib import Path

VAR = Path(os.environ["JUJU_CHARM_DIR"], "var")
SETTINGS, PID, LOG = VAR / "settings.json", VAR / "server.pid", VAR / "access.log"


def tool(*args):
    """Runs a hook tool; its output as JSON where it has that."""
    out = subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out) if "--format=json" in args else out


def running():
    try:
        os.kill(int(PID.read_text()), 0)
        return True
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return False


def stop():
    if running():
        os.kill(int(PID.read_text()), signal.SIGTERM)
    # The server's port is free once the server has ended.
    for _ in range(50):
        if not running():
            break
        time.sleep(0.1)
    PID.unlink(missing_ok=True)


def start():
    out = open(VAR / "server.log", "a")
    server = subprocess.Popen(["python3", "src/server.py", str(SETTINGS)], stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out, start_new_session=True)
    PID.write_text(str(server.pid))


def answers(port):
    """Waits a few seconds until the server takes connections."""
    for _ in range(50):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def find_store(departing):
    for relation in tool("relation-ids", "db", "--format=json"):
        for unit in tool("relation-list", "-r", relation, "--format=json"):
            data = tool("relation-get", "-r", relation, "--format=json", "-", unit)
            if unit != departing and data.get("host") and data.get("port"):
                return data["host"], int(data["port"])
    return None


def configure(departing=None):
    config = tool("config-get", "--format=json")
    store = find_store(departing)
    old = json.loads(SETTINGS.read_text()) if SETTINGS.exists() else None
    if store is None:
        stop()
        SETTINGS.unlink(missing_ok=True)
        related = tool("relation-ids", "db", "--format=json")
        tool("status-set", *(("waiting", "waiting for the store") if related else ("blocked", "needs a relation: db")))
        return
    new = {"host": store[0], "store-port": store[1], "port": config["port"], "title": config["title"],
           "unit": os.environ["JUJU_UNIT_NAME"], "access-log": str(LOG)}
    if old and old["port"] != new["port"]:
        tool("close-port", f"{old['port']}/tcp")
    if new != old or not running():
        stop()
        SETTINGS.write_text(json.dumps(new))
        start()
    if not answers(new["port"]):
        tool("status-set", "blocked", f"the server does not answer on port {new['port']}, see var/server.log")
        return
    tool("open-port", f"{new['port']}/tcp")
    for relation in tool("relation-ids", "logs", "--format=json"):
        tool("relation-set", "-r", relation, f"path={LOG}")
    for relation in tool("relation-ids", "website", "--format=json"):
        tool("relation-set", "-r", relation, f"port={new['port']}", "hostname=" + tool("unit-get", "private-address").strip())
    tool("application-version-set", "1.0")
    tool("status-set", "active", f"serving on port {new['port']}")


VAR.mkdir(exist_ok=True)
event = os.path.basename(os.environ["JUJU_DISPATCH_PATH"])
tool("juju-log", "--log-level", "DEBUG", "--", f"event {event}")
if event in ("stop", "remove"):
    stop()
elif event == "install":
    LOG.touch()
    tool("status-set", "maintenance", "installing")
else:
    gone = event == "db-relation-broken"
    if gone:
        stop()
        SETTINGS.unlink(missing_ok=True)
        tool("status-set", "blocked", "needs a relation: db")
    else:
        configure(departing=os.environ.get("JUJU_DEPARTING_UNIT"))
