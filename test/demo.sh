#!/bin/sh
# The two commands of a demo as a newcomer runs them: start, start again, stop; nothing is left afterwards.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
JUJU_DATA=$(mktemp -d)/juju
export JUJU_DATA
out=$(mktemp)
# Traces of a controller on this host in the kernel and on disk.
traces() {
  ip -o link 2>/dev/null | grep -o 'gri[0-9a-f]*[^ :@]*' || true
  ip netns list 2>/dev/null | grep -o 'grigri-[^ ]*' || true
  grep -o '/[^ ]*grigri[^ ]*' /proc/mounts || true
  nft list tables 2>/dev/null | grep gri || true
  ls -d "$JUJU_DATA" /var/lib/grigri/* "$HOME"/.local/share/grigri/* 2>/dev/null || true
  find /sys/fs/cgroup -type d -name '*gri*' 2>/dev/null || true
  for cmd in /proc/[0-9]*/cmdline; do tr '\0' ' ' <"$cmd" 2>/dev/null | grep -o 'controller.mjs run.*\|agent.mjs machine.*' || true; done
}
before=$(traces | sort)
finish() {
  status=$?
  [ $status -eq 0 ] || { cat "$out"; "$root/bin/grigri" debug-log -m demo:controller --replay --no-tail 2>/dev/null | tail -40 || true; }
  (cd "$root" && npm stop >/dev/null 2>&1) || true
  rm -rf "${JUJU_DATA%/juju}" "$out"
  exit $status
}
trap finish EXIT
cd "$root"
npm start >"$out" 2>&1
grep -q '<h1>Hello from the key-value store</h1>' "$out"
grep -q 'The web application: http://' "$out"
npm start >"$out" 2>&1
grep -q 'is already running' "$out"
npm stop >"$out" 2>&1
after=$(traces | sort)
if [ "$before" != "$after" ]; then
  echo "npm stop left:"
  echo "$after"
  exit 1
fi
echo "1 passed, 0 failed"
