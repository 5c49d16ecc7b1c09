/** Script that debug-hooks and debug-code run on the unit's machine (logging-in.md#debug-sessions). */

interface Wishes {
  readonly unit: string;
  /** Names of hooks and actions; none = all. */
  readonly names: readonly string[];
  /** Places where the hooks stop, for debug-code. */
  readonly at?: string;
}

/**
 * Returns a command for a shell on the machine, which contains nothing that would need quoting within single quotes.
 */
export function debugCommand(wishes: Wishes): string {
  const encoded = Buffer.from(script(wishes)).toString('base64');
  return `/bin/bash -c "$(echo ${encoded} | base64 -d)"`;
}

function script({ unit, names, at }: Wishes): string {
  const yaml = `hooks: ${JSON.stringify(names)}\n${at === undefined ? '' : `debug-at: ${JSON.stringify(at)}\n`}`;
  const what = names.length === 0 ? 'every hook and action' : names.join(', ');
  return `unit='${unit}'
name='juju-unit-${unit.replaceAll('/', '-')}-debug-hooks'
wishes='${Buffer.from(yaml).toString('base64')}'
what='${what}'
${body}`;
}

const body = String.raw`
file=${'$'}{GRIGRI_INSTANCE:-/tmp}/$name
[ -z "$GRIGRI_INSTANCE" ] || export TMUX_TMPDIR=$GRIGRI_INSTANCE
# A session within the user's own is meant.
unset TMUX
for program in tmux flock; do
  command -v $program >/dev/null ||
    { echo "$program is not installed on the machine of $unit: install it there (apt-get install $program)" >&2; exit 1; }
done
for one in "$file" "$file-exit"; do
  if [ -L "$one" ] || { [ -e "$one" ] && [ ! -O "$one" ]; }; then
    echo "$one belongs to somebody else: remove it" >&2
    exit 1
  fi
done
exec 8>>"$file" || exit 1
if ! flock -n 8; then
  exec 8>&-
  echo "joining the debug session of $unit"
  exec tmux new-session -t "=$unit" \; set-option destroy-unattached on
fi
exec 9>>"$file-exit" && flock -n 9 || { echo "another debug session of $unit is about to end" >&2; exit 1; }
end() {
  tmux kill-session -t "=$unit" 8>&- 9>&- 2>/dev/null
  : >"$file"
}
trap end EXIT
trap 'exit 129' HUP
trap 'exit 143' TERM
printf '%s' "$wishes" | base64 -d >"$file"
# The server must not hold the locks: it stays when this shell is killed.
tmux new-session -d -s "$unit" -n "$unit" \
  "echo 'Waiting for $what of $unit: each gets a window of its own (ctrl+b n). Leave with exit here, or ctrl+b d.'; exec /bin/bash" \
  8>&- 9>&- || exit 1
tmux attach-session -t "=$unit" 8>&- 9>&-
`;
