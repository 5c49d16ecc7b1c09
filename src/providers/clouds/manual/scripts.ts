/** Scripts in POSIX shell that run on a host over ssh. Values come as assignments before them. */

/**
 * Exits with 77 and the reason on stdout when the host is a machine already; only processes of this very system count.
 */
export const refuseManaged = String.raw`
managed() {
  for one in /etc/systemd/system/jujud-*.service /lib/systemd/system/jujud-*.service /etc/init.d/jujud-* /var/lib/juju/agents/machine-*; do
    [ -e "$one" ] && { echo "$one"; return 0; }
  done
  for process in /proc/[0-9]*; do
    [ "$process/root" -ef / ] || continue
    case "$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)" in
      */var/lib/juju/tools/*\ machine\ *) echo "process ${'$'}{process#/proc/}"; return 0 ;;
    esac
  done
  return 1
}
if found=$(managed); then
  printf 'managed=%s\n' "$found"
  exit 77
fi
`;
export const managedStatus = 77;

/** Exits as refuseManaged does, except for a machine that has NONCE. */
export const unlessOurs = String.raw`
[ "$(cat /var/lib/juju/nonce.txt 2>/dev/null)" = "$NONCE" ] || {
${refuseManaged}
}
`;

/** Prints the hardware for the machine's record (machines.md#enlistment); runs as root. */
export const inspection = String.raw`
[ ! -f /etc/os-release ] || . /etc/os-release
printf 'base=%s@%s\n' "${'$'}{ID:-}" "${'$'}{VERSION_ID:-}"
printf 'arch=%s\n' "$(uname -m)"
sed -n 's/^MemTotal: *\([0-9]*\) kB/mem=\1/p' /proc/meminfo
sed -n -e 's/^physical id[^:]*: */socket=/p' -e 's/^cpu cores[^:]*: */cores=/p' -e 's/^processor[^:]*: */processor=/p' /proc/cpuinfo
`;

/**
 * Creates the user ubuntu with KEYS and sudo without a password; runs as root. Each new item is recorded for
 * remove-juju-services before it is created. Prints `made` when anything was created.
 */
export const letIn = String.raw`${refuseManaged}
if command -v flock >/dev/null; then
  exec 8>/run/juju-enlisting.lock
  flock -w 60 8
fi
set -e
trap 'rm -f /run/juju-enlisting.lock' EXIT
umask 022
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
changes=/var/lib/juju/host-changes
note() {
  mkdir -p /var/lib/juju
  grep -qxF -e "$1" "$changes" 2>/dev/null || printf '%s\n' "$1" >>"$changes"
  echo made
}
if ! id ubuntu >/dev/null 2>&1; then
  note 'user ubuntu'
  if command -v useradd >/dev/null; then useradd --create-home --shell /bin/bash --password '*' --comment Ubuntu ubuntu
  else adduser -D -s /bin/sh -g Ubuntu ubuntu; fi
fi
sudoers=/etc/sudoers.d/90-juju-ubuntu
if [ -d /etc/sudoers.d ] && [ ! -e $sudoers ]; then
  note "file $sudoers"
  (umask 0337 && echo 'ubuntu ALL=(ALL) NOPASSWD:ALL' >$sudoers)
fi
home=$(awk -F: '$1 == "ubuntu" { print $6 }' /etc/passwd)
file=$home/.ssh/authorized_keys
[ -d "$home/.ssh" ] || { note "dir $home/.ssh"; mkdir -p "$home/.ssh"; chmod 0700 "$home/.ssh"; }
[ -e "$file" ] || { note "file $file"; touch "$file"; chmod 0600 "$file"; }
# A last line that nobody ended would swallow the next.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
printf '%s\n' "$KEYS" | while IFS= read -r key; do
  [ -n "$key" ] && ! grep -qxF -e "$key" "$file" || continue
  note "key $file $key"
  printf '%s\n' "$key" >>"$file"
done
chown -R ubuntu: "$home/.ssh"
`;

/**
 * Reads two scripts from standard input, INSTALL bytes and REMOVE bytes long, and runs the first; runs as root. When
 * that fails, or the input ends before it does because the sender is gone, the second removes everything again. Neither
 * script is ever written to a file or passed as an argument, because the first contains a password. Nothing is done on
 * a host that is a machine already, except for one that has NONCE.
 */
export const installation = String.raw`
if command -v flock >/dev/null; then
  exec 8>/run/juju-enlisting.lock
  flock -w 60 8 || { echo 'another installation is running on this host' >&2; exit 1; }
fi
${unlessOurs}
install=$(head -c "$INSTALL"; echo .)
remove=$(head -c "$REMOVE"; echo .)
[ ${'$'}{#install} -gt 1 ] && [ ${'$'}{#remove} -gt 1 ] || exit 1
exec 3<&0
undo() {
  trap '' HUP INT TERM PIPE
  exec >/dev/null 2>&1
  printf '{\n%s\n} </dev/null 8>&-\n' "${'$'}{remove%.}" | sh
  rm -f /run/juju-enlisting.lock
  exit 1
}
printf '{\n%s\n} </dev/null 3<&- 8>&-\n' "${'$'}{install%.}" | setsid sh &
work=$!
(exec 8>&-; cat <&3 >/dev/null; kill -TERM "$work" -- "-$work" 2>/dev/null) >/dev/null 2>&1 &
watch=$!
trap 'kill -KILL "$work" -- "-$work" 2>/dev/null; undo' HUP INT TERM PIPE
wait "$work" || { kill -KILL "$work" -- "-$work" 2>/dev/null; undo; }
kill "$watch" 2>/dev/null
rm -f /run/juju-enlisting.lock
exit 0
`;

/** Waits until an interrupted installation has ended, which undoes itself; runs as root. */
export const awaitInstallation = String.raw`
if command -v flock >/dev/null && [ -e /run/juju-enlisting.lock ]; then
  flock -w 60 /run/juju-enlisting.lock true
  rm -f /run/juju-enlisting.lock
fi
`;
