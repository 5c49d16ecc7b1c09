/** Runs of a hook in a window of a debug session (logging-in.md#debugged-hooks). */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../core/defined.ts';
import { debugEnvironment, debugFile, type DebugSession } from './debug-session.ts';

export interface DebuggedHook {
  readonly command: readonly [string, ...string[]];
  readonly environment: Record<string, string>;
  /** Closes the window and removes the files. */
  end(): Promise<void>;
}

/**
 * Prepares the run: a process opens a window in the session, in which the hook's environment is set, and waits for the
 * window's shell, whose exit code it takes.
 */
export async function debugHook(params: {
  readonly session: DebugSession;
  readonly unit: string;
  /** Name of the window: that of the hook, or the path of the action. */
  readonly window: string;
  /** Program of the hook; absent when the charm has none. */
  readonly program?: string;
  readonly toolsDir: string;
}): Promise<DebuggedHook> {
  const { session, unit, window, program = '', toolsDir } = params;
  const dir = await mkdtemp(join(tmpdir(), 'juju-debug-hooks-'));
  const files = {
    'welcome.msg': welcome(window, program),
    'init.sh': initScript,
    'hook.sh': session.at === undefined ? shellScript : programScript,
    'wait.sh': waitScript,
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(dir, name), text, { mode: name.endsWith('.sh') ? 0o700 : 0o600 });
  const tmux = debugEnvironment(toolsDir);
  return {
    command: ['/bin/bash', join(dir, 'wait.sh')],
    environment: {
      ...tmux,
      JUJU_DEBUG: dir,
      GRIGRI_DEBUG_UNIT: unit,
      GRIGRI_DEBUG_WINDOW: window,
      GRIGRI_DEBUG_PROGRAM: program,
      GRIGRI_DEBUG_FILE: debugFile(unit),
      ...defined({ JUJU_DEBUG_AT: session.at }),
    },
    async end() {
      const id = await readFile(join(dir, 'window'), 'utf8').catch(() => '');
      if (/^@\d+$/.test(id.trim())) await closeWindow(id.trim(), tmux);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function closeWindow(id: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve) =>
    // The window may be closed already, with its session.
    execFile('tmux', ['kill-window', '-t', id], { env, timeout: 10_000 }, () => resolve()),
  );
}

/** Process of the hook. When it ends without an exit code of the window, the hook has failed. */
const waitScript = String.raw`
export -p >"$JUJU_DEBUG/env.sh.new" && mv "$JUJU_DEBUG/env.sh.new" "$JUJU_DEBUG/env.sh" || exit 1
echo $$ >"$JUJU_DEBUG/wait.pid"
lives() {
  # A server of tmux may miss the end of a window's shell, which stays a zombie then.
  local key state rest
  while read -r key state rest; do
    [ "$key" != State: ] || { [ "$state" != Z ]; return; }
  done 2>/dev/null <"/proc/$1/status"
  return 1
}
gone() {
  ! tmux has-session -t "=$GRIGRI_DEBUG_UNIT" 2>/dev/null ||
    flock -n "$GRIGRI_DEBUG_FILE-exit" true 2>/dev/null
}
tmux new-window -P -F '#{window_id}' -t "=$GRIGRI_DEBUG_UNIT:" -n "$GRIGRI_DEBUG_WINDOW" \
  "/bin/bash '$JUJU_DEBUG/hook.sh' '$JUJU_DEBUG'" >"$JUJU_DEBUG/window" || exit 1
until [ -s "$JUJU_DEBUG/hook.pid" ]; do
  ! gone || break
  sleep 0.1
done
pid=$(cat "$JUJU_DEBUG/hook.pid" 2>/dev/null)
while [ -n "$pid" ] && [ ! -s "$JUJU_DEBUG/hook_exit_status" ] && lives "$pid"; do
  if gone; then kill -HUP "$pid"; break; fi
  sleep 0.5
done
[ -s "$JUJU_DEBUG/hook_exit_status" ] && exit "$(cat "$JUJU_DEBUG/hook_exit_status")"
echo "the debug session of $GRIGRI_DEBUG_UNIT ended before $GRIGRI_DEBUG_WINDOW had an exit code" >&2
exit 1
`;

/** Beginning of both kinds of windows: sets the hook's environment, but keeps the terminal's own. */
const enter = String.raw`
dir=$1 terminal=$TERM
. "$dir/env.sh"
export TERM=$terminal
echo $$ >"$dir/hook.pid.new" && mv "$dir/hook.pid.new" "$dir/hook.pid"
cd "$JUJU_CHARM_DIR" || exit 1
`;

/** Script of debug-hooks: nothing runs by itself, and the shell's exit code is the hook's. */
const shellScript = String.raw`${enter}
/bin/bash --noprofile --init-file "$dir/init.sh"
echo $? >"$dir/hook_exit_status"
`;

/** Script of debug-code: the program runs, and stops where JUJU_DEBUG_AT says. */
const programScript = String.raw`${enter}
"$GRIGRI_DEBUG_PROGRAM"
code=$?
echo "$GRIGRI_DEBUG_WINDOW ended with exit code $code"
echo $code >"$dir/hook_exit_status"
`;

const initScript = String.raw`
cat "$JUJU_DEBUG/welcome.msg"
PS1="$GRIGRI_DEBUG_UNIT:$GRIGRI_DEBUG_WINDOW \\$ "
PROMPT_COMMAND='kill -0 "$(cat "$JUJU_DEBUG/wait.pid" 2>/dev/null)" 2>/dev/null || echo "the agent has given this hook up: leave with exit"'
`;

function welcome(window: string, program: string): string {
  return `
This is ${window}. Its environment is set, the hook tools answer, and the agent waits.
${program === '' ? 'The charm has no program for it.' : `Nothing has run yet. It would run:\n\n  ${program}`}

The exit code of this shell is the hook's:
  exit        it has succeeded, and the next one follows
  exit 1      it has failed, and the unit is in error

The other windows: ctrl+b n. Whoever leaves the session without an exit code (ctrl+b d, or exit in
window 0) lets the hook fail.

`;
}
