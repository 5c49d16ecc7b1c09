#!/usr/bin/python3
"""The key-value server. Usage: server.py SETTINGS.json; SIGHUP makes it read the settings again."""
import json, os, signal, socket, socketserver, sys, threading

SETTINGS = sys.argv[1]
LOCK = threading.Lock()
DATA = {}
settings = {}


def load_settings(*_):
    with open(SETTINGS) as file:
        settings.update(json.load(file))
    with LOCK:
        if is_primary():
            DATA["greeting"] = settings["greeting"]
            save()
    # The new primary, and a replica that just joined, are brought up to date whole.
    threading.Thread(target=copy_to_replicas, daemon=True).start()


def is_primary():
    return settings["primary"] == settings["address"]


def save():
    partial = settings["data"] + ".new"
    with open(partial, "w") as file:
        json.dump(DATA, file)
    os.replace(partial, settings["data"])


def ask(address, *lines):
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=3) as peer:
        peer.sendall("".join(line + "\n" for line in lines).encode())
        peer.shutdown(socket.SHUT_WR)
        return peer.makefile().read()


def copy_to_replicas(key=None):
    if not is_primary():
        return
    with LOCK:
        lines = [f"COPY {k} {v}" for k, v in DATA.items() if key in (None, k)]
    for replica in settings["replicas"]:
        try:
            ask(replica, *lines)
        except OSError as error:
            print(f"replica {replica}: {error}", flush=True)


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        for raw in self.rfile:
            answer = self.answer(raw.decode(errors="replace").strip().split(" ", 2))
            self.wfile.write((answer + "\n").encode())

    def answer(self, words):
        verb, key, value = (words + ["", ""])[:3]
        if verb == "PING":
            return "PONG"
        if verb == "GET":
            return DATA.get(key, "")
        if verb == "KEYS":
            return " ".join(sorted(DATA))
        if verb == "COPY":
            with LOCK:
                DATA[key] = value
                save()
            return "OK"
        if verb in ("SET", "INCR"):
            if settings["read-only"]:
                return "ERROR read-only"
            if not is_primary():
                return ask(settings["primary"], " ".join(words)).strip()
            with LOCK:
                DATA[key] = value if verb == "SET" else str(int(DATA.get(key, "0")) + 1)
                save()
            copy_to_replicas(key)
            return DATA[key] if verb == "INCR" else "OK"
        return "ERROR unknown command"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with open(SETTINGS) as file:
    settings.update(json.load(file))
try:
    with open(settings["data"]) as saved:
        DATA.update(json.load(saved))
except FileNotFoundError:
    pass
load_settings()
signal.signal(signal.SIGHUP, load_settings)
with Server(("", settings["port"]), Session) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        signal.pause()
