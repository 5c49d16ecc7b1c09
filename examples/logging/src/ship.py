#!/usr/bin/python3
"""Sends each line of the logs in a directory. Usage: ship.py DIRECTORY HOST PORT UNIT POSITIONS

A line counts as sent when the master has answered; a line that was sent twice is better than one that is lost."""
import json, os, socket, sys, time

directory, host, port, unit, positions_file = sys.argv[1:]
positions = {}
if os.path.exists(positions_file):
    with open(positions_file) as file:
        positions = json.load(file)


def message(path, line):
    # 134: facility local0, severity informational.
    stamp = time.strftime("%FT%TZ", time.gmtime())
    return f"<134>1 {stamp} {socket.gethostname()} {unit} - {os.path.basename(path)} - {line}\n"


def save():
    with open(positions_file + ".new", "w") as file:
        json.dump(positions, file)
    os.replace(positions_file + ".new", positions_file)


def new_lines(path):
    position = positions.get(path, 0)
    if os.path.getsize(path) < position:
        position = 0
    with open(path, "rb") as log:
        log.seek(position)
        for raw in iter(log.readline, b""):
            if not raw.endswith(b"\n"):
                return
            position += len(raw)
            yield position, raw.decode(errors="replace").rstrip()


def ship(master):
    answers = master.makefile()
    while True:
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            for position, line in new_lines(path):
                master.sendall(message(path, line).encode())
                if not answers.readline():
                    raise ConnectionError("the master hung up")
                positions[path] = position
                save()
        time.sleep(0.5)


while True:
    try:
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            ship(connection)
    except OSError as error:
        print(f"{host}:{port}: {error}", flush=True)
        time.sleep(1)
