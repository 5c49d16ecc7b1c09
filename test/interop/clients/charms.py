"""Small charms for what the clients' own integration tests deploy from Charmhub, written into a folder of the test."""
import json
import os
import pathlib

MANIFEST = {"bases": [{"name": "ubuntu", "channel": "24.04/stable", "architectures": ["amd64", "arm64"]}]}

# A charm whose status is that of its setting `status`, and which serves its own name on port 8080.
PLAIN = """#!/bin/sh
case $JUJU_DISPATCH_PATH in
*start | *config-changed | *upgrade-charm) status-set "$(config-get status)" "$JUJU_UNIT_NAME" ;;
esac
case $JUJU_DISPATCH_PATH in
*start) open-port 8080/tcp && application-version-set 1.2.3 ;;
actions/add-repo) action-set dir="/var/git/$(action-get repo).git" ;;
esac
"""

DATABASE = """#!/bin/sh
case $JUJU_DISPATCH_PATH in
hooks/db-relation-created)
  relation-set --app dbkey=dbvalue
  status-set active "relation created" && status-set --application active "relation created" ;;
actions/do-thing)
  error=$(action-get error) exception=$(action-get exception)
  if [ -n "$error" ]; then action-fail "failed with error: $error"; exit 0; fi
  if [ -n "$exception" ]; then echo "Exception: $exception" >&2; exit 1; fi
  action-set config.testoption="$(config-get testoption)" params.param1="$(action-get param1)" thingy=foo ;;
esac
"""

APPLICATION = """#!/bin/sh
case $JUJU_DISPATCH_PATH in
hooks/db-relation-changed)
  value=$(relation-get --app dbkey "$JUJU_REMOTE_APP")
  [ -n "$value" ] || exit 0
  status-set active "relation changed: dbkey=$value"
  status-set --application active "relation changed: dbkey=$value" ;;
esac
"""

QUIET = """#!/bin/sh
case $JUJU_DISPATCH_PATH in *start) status-set active ;; esac
"""

OF_STATUS = {"status": {"type": "string", "default": "active", "description": "Its status."}}
CHARMS = {
    "testdb": dict(
        dispatch=DATABASE,
        metadata={"provides": {"db": {"interface": "dbi"}}},
        config={"testoption": {"type": "string", "default": "", "description": "For tests."}},
        actions={"do-thing": {"description": "Does it.", "params": {
            key: {"type": "string", "default": ""} for key in ("param1", "error", "exception")}}},
    ),
    "testapp": dict(dispatch=APPLICATION, metadata={
        "requires": {"db": {"interface": "dbi"}},
        "resources": {"test-file": {"type": "file", "filename": "test.tar", "description": "A file."}}}),
    "ubuntu": dict(dispatch=PLAIN, config=OF_STATUS, metadata={
        "provides": {"ubuntu": {"interface": "ubuntu"}},
        "storage": {"pgdata": {"type": "filesystem", "multiple": {"range": "0-"}}}},
        actions={"add-repo": {"description": "Makes one.", "params": {"repo": {"type": "string"}}}}),
    "nrpe": dict(dispatch=QUIET, metadata={
        "subordinate": True,
        "requires": {"general-info": {"interface": "juju-info", "scope": "container"}}}),
    "mysql": dict(dispatch=QUIET, metadata={"provides": {"server": {"interface": "mysql"}}}, config={
        "tuning-level": {"type": "string", "default": "safest", "description": "How fast."}}),
    "ghost": dict(dispatch=QUIET, metadata={"requires": {"database": {"interface": "mysql", "optional": True}}}, config={
        "port": {"type": "int", "default": 2368, "description": "Its port."},
        "url": {"type": "string", "default": "", "description": "Its address."}}),
    "file-resource-charm": dict(dispatch=QUIET, metadata={
        "resources": {"file-res": {"type": "file", "filename": "test.file", "description": "A file."}}}),
}


def write_charm(folder, name, **changes):
    """Writes the charm of that name below the folder. Returns its path."""
    parts = {**CHARMS[name], **changes}
    path = pathlib.Path(folder, name)
    path.mkdir(parents=True, exist_ok=True)
    metadata = {"name": name, "summary": f"Charm {name} of tests.", "description": "For tests.", **parts["metadata"]}
    # JSON is YAML.
    for file, content in (
        ("metadata.yaml", metadata),
        ("manifest.yaml", MANIFEST),
        ("config.yaml", {"options": parts["config"]} if "config" in parts else None),
        ("actions.yaml", parts.get("actions")),
    ):
        if content is not None:
            (path / file).write_text(json.dumps(content, indent=1))
    (path / "dispatch").write_text(parts["dispatch"])
    os.chmod(path / "dispatch", 0o755)
    return path


def write_charms(folder):
    """Writes all charms below the folder. Returns their paths by name."""
    return {name: write_charm(folder, name) for name in CHARMS}
