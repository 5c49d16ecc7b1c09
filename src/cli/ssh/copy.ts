/**
 * Copies of files between this host and machines that are entered without an ssh server: tar on one side, tar on the
 * other. Files come with their modes and belong to the user who writes them.
 */
import { basename } from 'node:path/posix';

/** Side of a copy: `enter` begins the command line of a program there. */
export interface Side {
  readonly enter: readonly string[];
  /** User whose home a relative path is in; '' for the user who enters, undefined for this host's folder. */
  readonly user: string | undefined;
  readonly path: string;
}

/**
 * Returns the argv that copies `source` to `target`. The exit code is that of the side that failed. A machine that
 * sends this host more than was asked for is refused.
 */
export function copyArgv(source: Side, target: Side, options: { readonly recursive: boolean }): string[] {
  const read = [...source.enter, 'sh', '-c', reading, 'sh', homeOf(source), source.path || '.'];
  const name = basename(source.path);
  const isAsked = target.enter.length === 0 && source.enter.length > 0 ? 'yes' : '';
  const writeArgs = [homeOf(target), target.path || '.', name, isAsked];
  const write = [...target.enter, 'sh', '-c', writing, 'sh', ...writeArgs];
  return ['sh', '-c', piping, 'sh', options.recursive ? 'yes' : '', String(read.length), ...read, ...write];
}

/** Returns `~` or `~user` for a machine; '' for a side without a user. */
function homeOf({ user }: Side): string {
  return user === undefined ? '' : `~${user}`;
}

/**
 * Script that runs both sides: $1 whether folders may be copied, $2 the number of words of the reader, then both
 * command lines.
 */
const piping = String.raw`
RECURSIVE=$1; words=$2; shift 2
fifo=$(mktemp -d) || exit 1
trap 'rm -rf "$fifo"' EXIT
mkfifo "$fifo/tar" || exit 1
reader=
i=0
for word do
  i=$((i + 1))
  [ $i -le $words ] || break
  reader="$reader '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
shift "$words"
eval "$reader" '"$RECURSIVE"' >"$fifo/tar" &
"$@" <"$fifo/tar"
written=$?
wait $!
read=$?
[ $read = 0 ] || exit $read
exit $written
`;

/**
 * Script that writes a tar archive of what matches $2, seen from the home $1, to stdout; $3 whether folders are wanted.
 */
const reading = String.raw`
[ -z "$1" ] || eval "cd $1" || exit 1
IFS=
set -- "$3" $2
recursive=$1; shift
for path do
  [ -e "$path" ] || { echo "$path: No such file or directory" >&2; exit 1; }
  [ -n "$recursive" ] || [ ! -d "$path" ] || { echo "$path: not a regular file" >&2; exit 1; }
  case "$path" in /*) ;; *) path=./$path ;; esac
  set -- "$@" -C "$PWD" -C "$(dirname -- "$path")" "./$(basename -- "$path")"
  shift
done
exec tar -chf - "$@"
`;

/**
 * Script that unpacks stdin, seen from the home $1: into the folder $2, or as $2 in place of the name $3. With $4, only
 * what $3 names, and no file with a set-user-ID bit: the sender may be hostile.
 */
const writing = String.raw`
[ -z "$1" ] || eval "cd $1" || exit 1
case "$3" in
  '' | . | ..) [ -d "$2" ] || mkdir "$2" || { cat >/dev/null; exit 1; } ;;
esac
within=
if [ -d "$2" ]; then
  [ -n "$4" ] || exec tar -xof - -C "$2"
  within=$2
else
  case "$2" in */) echo "$2: No such folder" >&2; cat >/dev/null; exit 1 ;; esac
  case "$3" in *[*?[]*) echo "$2: Not a folder" >&2; cat >/dev/null; exit 1 ;; esac
fi
new=$(mktemp -d "${'$'}{within:-$(dirname -- "$2")}/.grigri-scp.XXXXXX") || { cat >/dev/null; exit 1; }
trap 'rm -rf "$new"' EXIT
tar -xof - -C "$new" || exit 1
[ -z "$4" ] || chmod -R ug-s "$new"
for one in "$new"/* "$new"/.[!.]*; do
  [ -e "$one" ] || [ -L "$one" ] || continue
  case "$3" in
    '' | . | ..) ;;
    *) case "${'$'}{one##*/}" in
         "$3" | $3) ;;
         *) [ -z "$4" ] || { echo "${'$'}{one##*/}: Not asked for" >&2; exit 1; } ;;
       esac ;;
  esac
  if [ -n "$within" ]; then cp -pRP "$one" "$within" || exit 1
  else mv -f "$one" "$2" || exit 1; fi
done
`;
