#!/bin/sh
# Existing software, unmodified, against a controller of its own: clients (@canonical/jujulib, calls of Juju's
# dashboard, python-libjuju, jubilant, pytest) and charms (a classic one in bash, and one written with ops, for two
# versions of ops). Runs as root: machines are sandboxes.
# With an argument, only the steps whose names contain it; with a second, of the clients' integration tests only those
# whose names contain that.
# Requirements are installed below test/interop/.cache; nothing else is left.
set -eu
only=${1-}
test=${2-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=$here/.cache
grigri=$root/bin/grigri
node=$root/node_modules/.bin/node
. "$here/install.sh"

name=interop-$$
JUJU_DATA=$(mktemp -d)
export JUJU_DATA GRIGRI_VALIDATE=1
finish() {
  status=$?
  trap - EXIT
  [ $status -eq 0 ] || "$grigri" debug-log -m "$name:controller" --replay --no-tail 2>/dev/null | tail -60 || true
  "$grigri" kill-controller "$name" --no-prompt >/dev/null 2>&1 || { echo "kill-controller failed" >&2; status=1; }
  rm -rf "$JUJU_DATA"
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM
data=$JUJU_DATA/controller
"$grigri" bootstrap local "$name" --data-dir "$data" --config api-port=0 --model-default enable-os-refresh-update=false

passed=0 failed=0
# step NAME COMMAND…: one line of the result; what hangs has failed.
step() {
  case $1 in *"$only"*) ;; *) return 0 ;; esac
  echo "== $1"
  shift
  code=0
  timeout -k 5 900 "$@" || code=$?
  if [ $code -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED ($code)"; fi
}

eval "$("$node" "$here/credentials.ts" "$name" "$JUJU_DATA")"
cp "$here/jujulib.js" "$here/dashboard.js" "$cache/js/"
step "@canonical/jujulib" env NODE_EXTRA_CA_CERTS="$GRIGRI_CA" "$node" "$cache/js/jujulib.js" \
  "$root/examples/kv" "$root/examples/web" "$here/toolbox-charm"
step "the dashboard's calls" env NODE_EXTRA_CA_CERTS="$GRIGRI_CA" GRIGRI="$grigri" JUJU_CONTROLLER="$name" \
  "$node" "$cache/js/dashboard.js" "$root/examples/kv" "$root/examples/web"
step "python-libjuju" env PYTHONPATH="$cache/python" PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python \
  "$python" "$here/libjuju.py" "$name" "$root/examples"
step "python-libjuju, features of charms" env PYTHONPATH="$cache/python" \
  PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$here/libjuju_charm.py" "$name" "$here"
step "python-libjuju, macaroons" env PYTHONPATH="$cache/python" PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python \
  REQUESTS_CA_BUNDLE="$GRIGRI_CA" "$python" "$here/libjuju_macaroons.py" "$name" "$grigri" "$node" "$here" \
  "$GRIGRI_URL" "$GRIGRI_CA"
step "python-libjuju, a controller that is killed" env PYTHONPATH="$cache/python" \
  PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$here/libjuju_crash.py" "$name" "$grigri" "$data"
step "python-libjuju, a model that migrates" env PYTHONPATH="$cache/python" \
  PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$here/libjuju_moved.py" "$name" "$grigri" "$data" \
  "$root/examples"
step "jubilant" env PYTHONPATH="$cache/python" "$python" "$here/with_jubilant.py" "$name" "$grigri" "$here" \
  "$root/examples"
step "jubilant, its integration tests" env PYTHONPATH="$cache/python" PYTHONDONTWRITEBYTECODE=1 "$python" \
  "$here/clients/jubilant_integration.py" "$name" "$grigri" "$test"
step "python-libjuju, its integration tests" env PYTHONPATH="$cache/python" PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python \
  PYTHONDONTWRITEBYTECODE=1 "$python" "$here/clients/libjuju_integration.py" "$name" "$grigri" "$test"
step "Terraform's provider: its calls" env NODE_EXTRA_CA_CERTS="$GRIGRI_CA" "$node" "$here/terraform/main.ts" \
  "$root/examples/kv" "$root/examples/web" "$here/toolbox-charm"
step "pytest" env PYTHONPATH="$cache/pytest" GRIGRI="$grigri" PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -p no:cacheprovider --basetemp="$JUJU_DATA/pytest" \
  --grigri-config enable-os-refresh-update=false "$here/pytest-plugin"
step "a classic charm" "$node" "$here/classic.ts" "$name"
for version in $ops_versions; do
  step "a charm with ops $version" "$node" "$here/ops.ts" "$name" "$version" "$cache/ops-$version"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
