#!/usr/bin/python3
"""Follows a file. Usage: ship.py SOURCE TARGET LABEL UNIT"""
import json, os, sys, time

source, target, label, unit = sys.argv[1:]
position_file = target + ".position"
position = number = 0
if os.path.exists(position_file):
    position, number = json.load(open(position_file))
while True:
    try:
        if os.path.getsize(source) < position:
            position = 0
        with open(source) as log, open(target, "a") as out:
            log.seek(position)
            for line in iter(log.readline, ""):
                if not line.endswith("\n"):
                    break
                position, number = position + len(line.encode()), number + 1
                out.write(json.dumps({"n": number, "label": label, "unit": unit, "line": line.rstrip()}) + "\n")
        with open(position_file + ".new", "w") as file:
            json.dump([position, number], file)
        os.replace(position_file + ".new", position_file)
    except FileNotFoundError:
        pass
    time.sleep(0.5)
