# Sourced by run.sh with $here and $cache: puts clients and charm libraries into $cache, unless they are there as wanted.
# Sets $python, which has pip, and $ops_versions.
. "$here/install-python.sh"

if ! cmp -s "$here/package-lock.json" "$cache/js/package-lock.json" || ! [ -e "$cache/js/done" ]; then
  echo "Installing @canonical/jujulib…"
  rm -rf "$cache/js" && mkdir "$cache/js" && cp "$here/package.json" "$here/package-lock.json" "$cache/js/"
  npm ci --prefix "$cache/js" --ignore-scripts --no-audit --no-fund --loglevel=error
  touch "$cache/js/done"
fi
if ! cmp -s "$here/requirements.txt" "$cache/python/requirements.txt"; then
  echo "Installing python-libjuju and jubilant…"
  pip_install python -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$cache/python/"
fi
plugin=$root/python/pytest-grigri
if ! cmp -s "$plugin/pytest_grigri.py" "$cache/pytest/pytest_grigri.py" ||
  ! cmp -s "$plugin/pyproject.toml" "$cache/pytest/pyproject.toml"; then
  echo "Installing pytest and its plugin for grigri…"
  # pip builds beside the sources.
  rm -rf "$cache/plugin" && cp -r "$plugin" "$cache/plugin"
  pip_install pytest "$cache/plugin"
  rm -rf "$cache/plugin"
  cp "$plugin/pyproject.toml" "$cache/pytest/"
fi
