#!/bin/sh
# Existing clients, unmodified, against a controller bootstrapped for them: @canonical/jujulib and python-libjuju.
# Installs both below test/interop/.cache; leaves nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=$here/.cache
grigri=$root/bin/grigri
mkdir -p "$cache"

# 1. The clients.
if ! [ "$cache/js/package-lock.json" -nt "$here/package-lock.json" ]; then
  echo "Installing @canonical/jujulib…"
  rm -rf "$cache/js" && mkdir -p "$cache/js" && cp "$here/package.json" "$here/package-lock.json" "$cache/js/"
  npm ci --prefix "$cache/js" --ignore-scripts --no-audit --no-fund --loglevel=error
  touch "$cache/js/package-lock.json"
fi
if ! [ "$cache/python/done" -nt "$here/requirements.txt" ]; then
  echo "Installing python-libjuju…"
  rm -rf "$cache/python"
  python=
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then python=$candidate; break; fi
  done
  if [ -z "$python" ]; then
    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q python3-pip >/dev/null
    python=/usr/bin/python3
  fi
  "$python" -m pip install -q --root-user-action ignore --disable-pip-version-check --target "$cache/python" -r "$here/requirements.txt" 2>&1 | grep -v "dependency resolver\|incompatible" || true
  [ -d "$cache/python/juju" ] && echo "$python" >"$cache/python/done"
fi
python=$(cat "$cache/python/done")

# 2. A controller of their own.
name=interop-$$
JUJU_DATA=$(mktemp -d)
export JUJU_DATA GRIGRI_VALIDATE=1
finish() {
  status=$?
  [ $status -eq 0 ] || "$grigri" debug-log -m "$name:controller" --replay --no-tail 2>/dev/null | tail -60 || true
  "$grigri" kill-controller "$name" --no-prompt >/dev/null 2>&1 || status=1
  rm -rf "$JUJU_DATA"
  exit $status
}
trap finish EXIT
"$grigri" bootstrap local "$name" --config api-port=0

# 3. The clients at work.
echo "== @canonical/jujulib"
eval "$("$root/node_modules/.bin/node" "$here/credentials.ts" "$name" "$JUJU_DATA")"
cp "$here/jujulib.js" "$cache/js/jujulib.js"
NODE_EXTRA_CA_CERTS=$GRIGRI_CA "$root/node_modules/.bin/node" "$cache/js/jujulib.js" "$root/examples/kv"
echo "== python-libjuju"
PYTHONPATH=$cache/python PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$here/libjuju.py" "$name" "$root/examples"
echo "2 passed, 0 failed"
