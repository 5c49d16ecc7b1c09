#!/usr/bin/python3
"""The proxy's charm: one program for all events. The server reads its backends anew for each request."""
import json, os, signal, socket, subprocess, time
from pathlib import Path

VAR = Path(os.environ["JUJU_CHARM_DIR"], "var")
BACKENDS, PID, PORT = VAR / "backends.json", VAR / "server.pid", VAR / "port"


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


def answers(port):
    """Waits a few seconds until the server takes connections."""
    for _ in range(50):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def backends(departing):
    found = []
    for relation in tool("relation-ids", "backend", "--format=json"):
        for unit in tool("relation-list", "-r", relation, "--format=json"):
            data = tool("relation-get", "-r", relation, "--format=json", "-", unit)
            if unit != departing and data.get("hostname") and data.get("port"):
                found.append([data["hostname"], int(data["port"])])
    return sorted(found)


def serve(port):
    """Starts the server, anew when it is to have another port."""
    old = int(PORT.read_text()) if PORT.exists() else None
    if running() and old == port:
        return
    stop()
    if old not in (None, port):
        tool("close-port", f"{old}/tcp")
    out = open(VAR / "server.log", "a")
    server = subprocess.Popen(["python3", "src/server.py", str(port), str(BACKENDS)], stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out, start_new_session=True)
    PID.write_text(str(server.pid))
    PORT.write_text(str(port))
    tool("open-port", f"{port}/tcp")


def configure(departing=None):
    known = backends(departing)
    # The server reads the file at any moment: it is never there in part.
    new = BACKENDS.with_suffix(".new")
    new.write_text(json.dumps(known))
    new.replace(BACKENDS)
    port = tool("config-get", "--format=json")["port"]
    serve(port)
    if not answers(port):
        tool("status-set", "blocked", f"the server does not answer on port {port}, see var/server.log")
    elif not known:
        tool("status-set", "waiting", "waiting for web servers")
    else:
        tool("status-set", "active", f"{len(known)} behind port {port}")


VAR.mkdir(exist_ok=True)
event = os.path.basename(os.environ["JUJU_DISPATCH_PATH"])
if event in ("stop", "remove"):
    stop()
elif event == "install":
    tool("status-set", "maintenance", "installing")
else:
    configure(departing=os.environ.get("JUJU_DEPARTING_UNIT"))
