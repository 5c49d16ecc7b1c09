# Run with $cache: installs requirements of charms and of ops' tests into $cache, unless they are there as wanted.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../interop/install-python.sh"

# ops' own tests are in its source distribution; they run with the packages that its pyproject.toml names.
tests='pytest==9.2.0 jubilant==1.14.0'
newest=${ops_versions##* }
if [ "$(cat "$cache/ops-tests/wanted" 2>/dev/null)" != "$newest $tests" ]; then
  echo "Installing the tests of ops $newest…"
  rm -rf "$cache/ops-source" "$cache/ops-sdist"
  "$python" -m pip download -q --no-deps --no-binary ops -d "$cache/ops-sdist" "ops==$newest"
  tar -xzf "$cache/ops-sdist/ops-$newest.tar.gz" -C "$cache/ops-sdist"
  mv "$cache/ops-sdist/ops-$newest" "$cache/ops-source"
  rm -r "$cache/ops-sdist"
  # shellcheck disable=SC2086 # Two words.
  pip_install ops-tests "ops==$newest" $tests
  echo "$python" >"$cache/ops-tests/python"
  echo "$newest $tests" >"$cache/ops-tests/wanted"
fi
