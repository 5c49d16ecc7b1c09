"""Runs in a hook: calls the tools that are listed in the file, and prints what came of each as JSON. Ends with 1, so that
nothing of it is kept."""
import json
import subprocess
import sys

came = []
for call in json.load(open(sys.argv[1])):
    try:
        done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        came.append({"call": call, "code": done.returncode, "stderr": done.stderr})
    except (OSError, subprocess.TimeoutExpired) as e:
        came.append({"call": call, "code": -1, "stderr": str(e)})
print(json.dumps(came))
sys.exit(1)
