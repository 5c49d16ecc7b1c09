import { quoted } from './shell.ts';

/** Exit code of an agent that has ended so that another program is started. */
export const updateExitCode = 3;

/**
 * Renders a program that keeps the agent running on machines without systemd: `supervise start|stop|status`. The
 * machine's boot mechanism starts it, and it restarts the agent however that ends: at once after `updateExitCode`, else
 * after a pause, which doubles while the agent ends soon. `command`: a runtime and the program's path.
 */
export function supervisor(command: readonly string[], logFile: string): string {
  return `#!/bin/sh
# The agent's supervisor: start, stop, status.
# Who it is stands there before it runs: a supervisor may be killed at any time.
run_agent() { exec sh -c 'echo $$ >"$0"; exec "$@"' "$agentfile" env LANG=C.UTF-8 ${command.map(quoted).join(' ')}; }
program=${quoted(command[1] ?? '')}
log=${quoted(logFile)}
${body}`;
}

const body = String.raw`here=$(cd "$(dirname "$0")" && pwd)
pidfile=$here/pid
agentfile=$here/agent

# After a boot the number in a file is somebody else's.
is() { # pid words
  { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qF -e "$2"
}
running() {
  pid=$(cat "$pidfile" 2>/dev/null) && [ -n "$pid" ] && is "$pid" "$here/supervise run "
}

# One that a killed supervisor left: there must not be two.
end_left() {
  left=$(cat "$agentfile" 2>/dev/null) && [ -n "$left" ] || return 0
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    is "$left" "$program" || return 0
    kill "$left"
    sleep 0.5
  done
  kill -9 "$left"
}

case \${1:-} in
  start)
    running && exit 0
    setsid sh "$here/supervise" run </dev/null >>"$log" 2>&1 &
    # A loaded machine takes its time.
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      sleep 0.5
      running && exit 0
    done
    exit 1 ;;
  run)
    # Two that are started at once.
    if command -v flock >/dev/null; then
      exec 8>"$here/lock"
      flock -n 8 || exit 0
    fi
    echo $$ >"$pidfile"
    ulimit -n 64000 2>/dev/null
    end_left
    agent=
    trap 'trap "" TERM; [ -z "$agent" ] || { kill "$agent"; wait "$agent"; }; rm -f "$pidfile"; exit 0' TERM INT
    pause=1
    while :; do
      began=$(date +%s)
      run_agent 8>&- &
      agent=$!
      wait "$agent"
      code=$?
      agent=
      if [ $code -eq ${updateExitCode} ]; then
        echo "the agent has ended to change its program, it is started again"
        pause=1
        continue
      fi
      echo "the agent has ended ($code), it is started again in $pause s"
      sleep "$pause" 8>&- &
      wait $!
      if [ $(($(date +%s) - began)) -gt 60 ]; then pause=1; elif [ $pause -lt 30 ]; then pause=$((pause * 2)); fi
    done ;;
  stop)
    running || { end_left; exit 0; }
    kill "$pid"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      sleep 0.5
      running || exit 0
    done
    exit 1 ;;
  status) running ;;
  *) echo "usage: $0 start|stop|status" >&2; exit 2 ;;
esac
`.replaceAll('\\$', '$');

/** Renders the script for init systems that use /etc/init.d. */
export function initScript(service: string): string {
  return `#!/bin/sh
### BEGIN INIT INFO
# Provides:          ${service}
# Required-Start:    $remote_fs $network
# Required-Stop:     $remote_fs $network
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: juju agent
### END INIT INFO
case "\${1:-}" in
  restart|force-reload) /var/lib/juju/init/${service}/supervise stop; exec /var/lib/juju/init/${service}/supervise start ;;
  *) exec /var/lib/juju/init/${service}/supervise "$@" ;;
esac
`;
}
