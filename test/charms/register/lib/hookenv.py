"""Hook tools as Python functions, called as charmhelpers calls them: with JSON, and with errors told apart by text."""
import json
import os
import subprocess
import tempfile


def tool(*args, **kwargs):
    return subprocess.check_output(args, **kwargs).decode("utf-8")


def ask(*args):
    text = tool(args[0], "--format=json", *args[1:])
    return json.loads(text) if text.strip() else None


def hook_name():
    return os.environ.get("JUJU_HOOK_NAME") or os.path.basename(os.environ.get("JUJU_DISPATCH_PATH", ""))


def local_unit():
    return os.environ["JUJU_UNIT_NAME"]


def remote_unit():
    return os.environ.get("JUJU_REMOTE_UNIT") or None


def log(message, level="INFO"):
    # Longer messages do not fit into an argument of a process.
    subprocess.call(["juju-log", "-l", level, message[:100000]])


def config():
    return ask("config-get", "--all")


def relation_ids(endpoint):
    return sorted(ask("relation-ids", endpoint) or [])


def related_units(relid):
    return ask("relation-list", "-r", relid) or []


def relation_get(relid, unit, attribute="-"):
    try:
        return ask("relation-get", "-r", relid, attribute, unit)
    except subprocess.CalledProcessError as e:
        if e.returncode == 2:
            return None
        raise


def relation_set(relid, **settings):
    accepts_file = "--file" in tool("relation-set", "--help")
    settings = {key: None if value is None else str(value) for key, value in settings.items()}
    if not accepts_file:
        raise RuntimeError("relation-set knows no --file")
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(json.dumps(settings).encode("utf-8"))
    try:
        subprocess.check_call(["relation-set", "-r", relid, "--file", file.name])
    finally:
        os.remove(file.name)


def is_leader():
    return ask("is-leader")


def leader_get(key):
    return ask("leader-get", key)


def leader_set(**settings):
    subprocess.check_call(["leader-set"] + [f"{key}={value}" for key, value in settings.items()])


def network_get(endpoint):
    import yaml

    # With JSON, addresses have no older names.
    return yaml.safe_load(tool("network-get", endpoint, "--format", "yaml"))


def unit_get(attribute):
    return ask("unit-get", attribute)


def open_port(port, protocol="TCP"):
    subprocess.check_call(["open-port", f"{port}/{protocol}"])


def close_port(port, protocol="TCP"):
    subprocess.check_call(["close-port", f"{port}/{protocol}"])


def status_set(state, message):
    # Juju before 1.24 has no such tool; callers that catch that error must not see another.
    subprocess.check_call(["status-set", state, message])


def status_get():
    status = ask("status-get", "--include-data")
    return status["status"], status["message"]


def application_version_set(version):
    subprocess.check_call(["application-version-set", version])


def goal_state():
    return ask("goal-state")


def metadata():
    import yaml

    with open(os.path.join(os.environ["CHARM_DIR"], "metadata.yaml")) as file:
        return yaml.safe_load(file)
