# Sourced with $cache: finds a python that has pip, and puts into $cache, unless they are there as wanted, the versions
# of ops that charms are written for. Sets $python and $ops_versions.
ops_versions='2.19.4 3.8.0'
mkdir -p "$cache"
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

apt_install() {
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null
}

# pip_install NAME ARGUMENT…: installs into $cache/NAME, completely or not at all.
pip_install() {
  target=$cache/$1
  shift
  rm -rf "$target" "$target.part"
  # pip's warnings about other packages of this host do not matter: its exit code alone decides.
  if ! "$python" -m pip install -q --no-compile --target "$target.part" "$@" 2>"$cache/pip.log"; then
    cat "$cache/pip.log" >&2
    return 1
  fi
  mv "$target.part" "$target"
}

# Machines see this host's files, and packed charms run /usr/bin/python3.
[ -x /usr/bin/python3 ] || apt_install python3
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -m pip --version >/dev/null 2>&1; then python=$candidate && break; fi
done
if [ -z "$python" ]; then
  apt_install python3-pip
  python=/usr/bin/python3
fi

for version in $ops_versions; do
  [ -d "$cache/ops-$version" ] && continue
  echo "Installing ops $version…"
  pip_install "ops-$version" "ops==$version"
done
