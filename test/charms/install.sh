# Run with $cache: puts what charms and the tests of ops need into $cache, unless it is there as wanted.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../interop/install-python.sh"
