import { spawn } from 'node:child_process';
import { formatDuration } from '../../core/duration.ts';
import { Capture, capturedStreams } from '../../hooks/capture.ts';
import { killGroup } from '../../hooks/leftover.ts';
import { terminateGroup } from '../../hooks/terminate.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { Clock } from '../../kit/clock.ts';
import { defined } from '../../core/defined.ts';

export type RunCommand = (
  command: string,
  options: {
    readonly timeoutMs?: number;
    readonly signal: AbortSignal;
    /** Signal whose abort asks the command's processes to end, and kills those that have not a while later. */
    readonly cancel?: AbortSignal;
    /** Variables in addition to those that every command gets. */
    readonly environment?: Readonly<Record<string, string>>;
  },
) => Promise<HookResult>;

/**
 * Returns a function that runs a script on the machine itself, without a unit's context, in a process group of its
 * own.
 */
export function commandRunner(clock: Clock): RunCommand {
  return async (command, { timeoutMs, signal, cancel, environment }) => {
    signal.throwIfAborted();
    // The local provider recognises the processes of a machine that is only a set of processes by this variable.
    const instance = process.env['GRIGRI_INSTANCE'];
    const child = spawn('/bin/bash', ['-c', command], {
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        HOME: '/root',
        LANG: 'C.UTF-8',
        TERM: 'tmux-256color',
        ...environment,
        ...defined({ GRIGRI_INSTANCE: instance }),
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = (): void => {
      // The group is killed also when its leader has ended: background processes may still hold the output open.
      if (child.pid !== undefined && !closed) killGroup(child.pid);
    };
    let closed = false;
    const abort = new AbortController();
    let timedOut = false;
    if (timeoutMs !== undefined) {
      clock.sleep(timeoutMs, abort.signal).then(
        () => {
          timedOut = true;
          kill();
        },
        () => undefined,
      );
    }
    signal.addEventListener('abort', kill, { once: true });
    let terminated: Promise<void> | undefined;
    const terminate = (): void => {
      if (child.pid !== undefined && !closed) terminated = terminateGroup(child.pid, clock);
    };
    cancel?.addEventListener('abort', terminate, { once: true });
    if (cancel?.aborted) terminate();
    const [stdout, stderr] = [captureOf(child.stdout), captureOf(child.stderr)];
    try {
      const ended = await new Promise<{ code: number | null; killedBy: NodeJS.Signals | null }>(
        (resolve, reject) => {
          child.once('error', reject);
          child.once('close', (code, killedBy) => {
            closed = true;
            resolve({ code, killedBy });
          });
        },
      );
      await terminated;
      signal.throwIfAborted();
      const said = capturedStreams(stdout, stderr);
      if (timedOut)
        return {
          kind: 'failed',
          message: `timed out after ${formatDuration(timeoutMs!)}`,
          reboot: '',
          ...said,
        };
      if (ended.code === null)
        return { kind: 'failed', message: `killed by ${ended.killedBy}`, reboot: '', ...said };
      return { kind: ended.code === 0 ? 'done' : 'failed', code: ended.code, reboot: '', ...said };
    } finally {
      abort.abort();
      signal.removeEventListener('abort', kill);
      cancel?.removeEventListener('abort', terminate);
    }
  };
}

function captureOf(stream: NodeJS.ReadableStream): Capture {
  const capture = new Capture();
  stream.on('data', (chunk: Buffer) => capture.push(chunk));
  stream.on('end', () => capture.end());
  return capture;
}
