import { spawn, type ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';

import { defined } from '../core/defined.ts';
import type { HookHandler } from '../core/unit/hook-log.ts';
import { formatDuration } from '../core/duration.ts';
import type { Clock } from '../kit/clock.ts';
import type { HookContext } from './context.ts';
import { debugHook, type DebuggedHook } from './debug-hook.ts';
import type { DebugSession } from './debug-session.ts';
import { hookEnvironment } from './environment.ts';
import { findHookProgram } from './find-hook-program.ts';
import { forgetGroup, killGroup, recordGroup, recordIntent } from './leftover.ts';
import { capturedStreams, type CapturedStreams } from './capture.ts';
import { openOutputPipes, type OutputPipe } from './output.ts';
import { terminateGroup } from './terminate.ts';
import type { HookSocket } from './socket.ts';

export interface HookRun {
  readonly context: HookContext;
  readonly charmDir: string;
  readonly toolsDir: string;
  readonly socket: HookSocket;
  /** The hook or action (`hooks/install`, `actions/backup`), or a shell script for exec. */
  readonly program: { readonly dispatchPath: string } | { readonly command: string };
  /**
   * File that records the running process group for `killLeftover`, in the unit's own directory, another one for each
   * hook or action that runs at the same time. Names beginning with it are used for the hook's output.
   */
  readonly processFile: string;
  /** Timeout after which the hook is killed; default: none, as in Juju. */
  readonly timeoutMs?: number | undefined;
  /** Signal whose abort kills the hook and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Signal whose abort asks the hook's processes to end, and kills those that have not a while later. */
  readonly cancel?: AbortSignal;
  /** Called with each line as it comes, without its newline; with `isPiece`, with a part of a very long one. */
  readonly onOutput: (stream: 'stdout' | 'stderr', line: string, isPiece: boolean) => void;
  /** Whether the output is captured for the result: for actions and exec. */
  readonly capture?: boolean;
  /** Session in which the hook is debugged, without a timeout. */
  readonly debug?: DebugSession;
  readonly clock: Clock;
}

export interface HookResult {
  /**
   * `missing`: the charm has no such hook, which is success (for an action the agent decides). `failed`: the hook
   * could not start, its exit code is not 0, or it was killed; its deferred changes must be dropped.
   */
  readonly kind: 'done' | 'missing' | 'failed';
  /** The program that was run for a hook. */
  readonly handler?: HookHandler;
  /** Exit code of a hook that ended by itself. */
  readonly code?: number;
  /** Signal that ended the hook. Juju runs such a hook again instead of failing it. */
  readonly killedBy?: NodeJS.Signals;
  /** Reason of the failure. */
  readonly message?: string;
  /**
   * `now`: the hook was killed by juju-reboot --now and has to run again after the reboot. `after`: the hook has
   * succeeded, and the machine is to reboot.
   */
  readonly reboot: '' | 'after' | 'now';
  readonly output?: CapturedStreams['output'];
  readonly cut?: CapturedStreams['cut'];
}

/** Time to wait for output of background processes after the hook has ended, as in Juju. */
const outputGraceMs = 100;

/**
 * Runs a charm's hook or action, or a script, with the tools on its PATH answering for `context`. Rejects only when
 * aborted or on an error of the agent itself; errors of the charm are in the result.
 */
export async function runHook(run: HookRun): Promise<HookResult> {
  run.signal?.throwIfAborted();
  if (run.cancel?.aborted) return { kind: 'failed', message: 'cancelled', reboot: '' };
  const { context, charmDir } = run;
  // Without this check no hook would be found, and a unit without its charm would seem healthy.
  if (!(await isDirectory(charmDir))) {
    return { kind: 'failed', message: `charm directory ${charmDir} not found`, reboot: '' };
  }
  const dispatchPath = 'dispatchPath' in run.program ? run.program.dispatchPath : '';
  let command: readonly [string, ...string[]];
  let handler: HookHandler | undefined;
  if ('command' in run.program) {
    if (run.program.command.includes('\0')) {
      return { kind: 'failed', message: 'the command has a NUL character', reboot: '' };
    }
    command = ['/bin/bash', '-c', run.program.command];
  } else {
    const program = await findHookProgram(charmDir, dispatchPath);
    // A session of debug-hooks may write a missing hook; one of debug-code has no hook to stop in.
    const isWritten = run.debug !== undefined && run.debug.at === undefined;
    if (program.kind === 'missing' && !isWritten) return { kind: 'missing', reboot: '' };
    if (program.kind === 'unusable' && !isWritten)
      return { kind: 'failed', message: program.message, reboot: '' };
    command = [program.kind === 'found' ? program.path : ''];
    if (program.kind === 'found') ({ handler } = program);
  }
  const debugged = await debuggedHook(run, dispatchPath, command[0]);
  const group = new ProcessGroup();
  const session = run.socket.open(context, () => group.kill());
  try {
    const environment = hookEnvironment({
      context,
      charmDir,
      toolsDir: run.toolsDir,
      socketPath: run.socket.path,
      contextId: session.contextId,
      dispatchPath,
      home: homedir(),
      instance: process.env['GRIGRI_INSTANCE'],
    });
    const ended = debugged
      ? await runProcess(
          { ...run, timeoutMs: undefined },
          debugged.command,
          { ...environment, ...debugged.environment },
          group,
        )
      : await runProcess(run, command, environment, group);
    run.signal?.throwIfAborted();
    // Tools that are still running belong to the hook: the agent commits their changes, but no later ones.
    await session.end();
    return { ...hookResult(ended, context.changes.reboot), ...defined({ handler }) };
  } finally {
    await session.end();
    await debugged?.end();
  }
}

async function debuggedHook(
  { debug, context, toolsDir }: HookRun,
  dispatchPath: string,
  program: string,
): Promise<DebuggedHook | undefined> {
  if (!debug || dispatchPath === '') return undefined;
  const { unit, event } = context;
  const window = event.action ? dispatchPath : event.name;
  return debugHook({
    session: debug,
    unit,
    window,
    toolsDir,
    ...defined({ program: program || undefined }),
  });
}

async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly startError?: string;
  readonly timedOutMs?: number;
  readonly output?: HookResult['output'];
  readonly cut?: HookResult['cut'];
}

async function runProcess(
  run: HookRun,
  [file, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  group: ProcessGroup,
): Promise<Ended> {
  const capture = run.capture ?? false;
  const target = (stream: 'stdout' | 'stderr') => ({
    path: `${run.processFile}.${stream}`,
    onLine: (line: string, isPiece: boolean) => run.onOutput(stream, line, isPiece),
  });
  const pipes = await openOutputPipes([target('stdout'), target('stderr')], capture);
  const [stdout, stderr] = pipes as [OutputPipe, OutputPipe];
  try {
    recordIntent(run.processFile, run.socket.path);
    const child = spawn(file, args, {
      cwd: run.charmDir,
      env,
      // The hook leads its own session and group, so that it can be killed as a whole and has no terminal.
      detached: true,
      stdio: ['ignore', stdout.writer, stderr.writer],
    });
    if (child.pid !== undefined) {
      recordGroup(run.processFile, run.socket.path, child.pid);
      group.started(child.pid);
    }
    for (const pipe of pipes) pipe.closeWriter();
    const ended = await waitForEnd(run, child, group);
    await group.terminated;
    group.forget();
    const grace = new AbortController();
    await Promise.race([
      Promise.all(pipes.map((pipe) => pipe.ended)),
      run.clock.sleep(outputGraceMs, grace.signal).catch(() => undefined),
    ]);
    grace.abort();
    return capture ? { ...ended, ...capturedStreams(stdout.capture, stderr.capture) } : ended;
  } finally {
    for (const pipe of pipes) {
      pipe.closeWriter();
      pipe.close();
    }
    await Promise.all(pipes.map((pipe) => pipe.ended));
    forgetGroup(run.processFile);
  }
}

async function waitForEnd(run: HookRun, child: ChildProcess, group: ProcessGroup): Promise<Ended> {
  const limit = new AbortController();
  const onAbort = (): void => group.kill();
  run.signal?.addEventListener('abort', onAbort, { once: true });
  if (run.signal?.aborted) onAbort();
  const onCancel = (): void => group.terminate(run.clock);
  run.cancel?.addEventListener('abort', onCancel, { once: true });
  if (run.cancel?.aborted) onCancel();
  let timedOutMs: number | undefined;
  if (run.timeoutMs !== undefined) {
    const { timeoutMs } = run;
    run.clock.sleep(timeoutMs, limit.signal).then(
      () => {
        timedOutMs = timeoutMs;
        group.kill();
      },
      () => undefined,
    );
  }
  try {
    const ended = await new Promise<Ended>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve({ code: null, signal: null, startError: startError(child.spawnfile, error) }),
      );
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    return timedOutMs === undefined ? ended : { ...ended, timedOutMs };
  } finally {
    group.ended();
    limit.abort();
    run.signal?.removeEventListener('abort', onAbort);
    run.cancel?.removeEventListener('abort', onCancel);
  }
}

function hookResult(ended: Ended, reboot: HookResult['reboot']): HookResult {
  const output = defined({ output: ended.output, cut: ended.cut });
  if (ended.startError !== undefined)
    return { kind: 'failed', message: ended.startError, reboot: '', ...output };
  if (reboot === 'now') return { kind: 'failed', message: 'ended for a reboot', reboot, ...output };
  if (ended.timedOutMs !== undefined) {
    return {
      kind: 'failed',
      message: `timed out after ${formatDuration(ended.timedOutMs)}`,
      reboot: '',
      ...output,
    };
  }
  if (ended.signal !== null) {
    return {
      kind: 'failed',
      killedBy: ended.signal,
      message: `killed by ${ended.signal}`,
      reboot: '',
      ...output,
    };
  }
  const code = ended.code ?? -1;
  if (code !== 0) return { kind: 'failed', code, message: `exit status ${code}`, reboot: '', ...output };
  return { kind: 'done', code, reboot, ...output };
}

/**
 * Explains an error at the start. The kernel says "no such file" also of a script whose interpreter is missing; the
 * file itself was seen before.
 */
function startError(file: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return `cannot run ${file}: its interpreter is missing`;
    case 'EACCES':
      return `cannot run ${file}: permission denied`;
    default:
      return `cannot run ${file}: ${error.message}`;
  }
}

/**
 * Process group to kill, known only while the hook runs: an earlier kill waits for the group, a later one does nothing.
 */
class ProcessGroup {
  #pid: number | undefined;
  #killed = false;
  /** Resolves when processes that were asked to end have ended; undefined = none were asked. */
  terminated: Promise<void> | undefined;

  started(pid: number): void {
    this.#pid = pid;
    if (this.#killed) killGroup(pid);
  }

  /** Must be called when the leader has ended; processes that were asked to end may remain. */
  ended(): void {
    if (this.terminated === undefined) this.#pid = undefined;
  }

  forget(): void {
    this.#pid = undefined;
  }

  /** Asks the processes to end, and kills those that do not. */
  terminate(clock: Clock): void {
    if (this.#pid !== undefined) this.terminated ??= terminateGroup(this.#pid, clock);
  }

  kill(): void {
    this.#killed = true;
    if (this.#pid !== undefined) killGroup(this.#pid);
  }
}
