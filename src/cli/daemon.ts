/** Process of a controller on this host. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../kit/clock.ts';
import type { InitConfig, InitResult } from '../wire/controller-init.ts';
import { isServing, servingProcesses, storeHolders } from './serving-processes.ts';
import { makeFolder } from '../kit/make-folder.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
/** Time limit in milliseconds after SIGKILL: a process that waits for a disk ends only when the disk answers. */
const killTimeoutMs = 30_000;
const pollMs = 25;

/** Returns the program and first arguments that run a controller: the bundle beside the CLI's, or the source. */
export function controllerArgv(): [string, ...string[]] {
  const bundle = join(import.meta.dirname, '../quick/controller.mjs');
  return [process.execPath, existsSync(bundle) ? bundle : join(import.meta.dirname, '../main/controller.ts')];
}

/** Returns the program and first arguments that run the command line, as `controllerArgv`. */
export function cliArgv(): [string, ...string[]] {
  const bundle = join(import.meta.dirname, 'cli.mjs');
  return [process.execPath, existsSync(bundle) ? bundle : join(import.meta.dirname, '../main/cli.ts')];
}

interface DaemonOptions {
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Starts the controller of a data directory, which outlives this process. Resolves when it serves. Errors: plain Error
 * with the end of its log.
 */
export async function startDaemon(options: DaemonOptions): Promise<{ pid: number }> {
  for (;;) {
    const before = await choiceOf(options.dataDir);
    const daemon = await launch(options, { isNew: false });
    try {
      await untilServing(daemon, options);
      return { pid: daemon.child.pid! };
    } catch (error) {
      // The launcher counts the starts of a program that is tried, and goes back to the one before.
      const after = await choiceOf(options.dataDir);
      if (options.signal?.aborted || after === before || !triesProgram(after)) throw error;
    }
  }
}

/** Text of the launcher's choice among the controller's programs; '{}' without one. */
function choiceOf(dataDir: string): Promise<string> {
  return readFile(join(dataDir, 'programs/chosen.json'), 'utf8').catch(() => '{}');
}

function triesProgram(choice: string): boolean {
  return (JSON.parse(choice) as { trying?: object }).trying !== undefined;
}

/** Controller whose process makes its files first. */
interface NewDaemon {
  /**
   * Resolves when the files of the controller are made. Errors: plain Error with the controller's message; the process
   * has ended.
   */
  readonly made: Promise<InitResult>;
  /** Resolves when the controller serves. Errors: plain Error with the end of its log. */
  serves(): Promise<void>;
}

/**
 * Makes the files of a controller and runs it, in one process that outlives this one: to load the program takes longer
 * than to make the files.
 */
export async function startNewDaemon(options: DaemonOptions, config: InitConfig): Promise<NewDaemon> {
  await makeFolder(options.dataDir, 0o700);
  const daemon = await launch(options, { isNew: true });
  return { made: madeBy(daemon, options, config), serves: () => untilServing(daemon, options) };
}

interface Daemon {
  readonly child: ChildProcess;
  /** Returns the reason why the process has ended, or was never there. */
  readonly failure: () => string | undefined;
  readonly logPath: string;
}

async function launch({ dataDir }: DaemonOptions, { isNew }: { readonly isNew: boolean }): Promise<Daemon> {
  const [program, ...programArgs] = controllerArgv();
  const logPath = join(dataDir, 'controller.log');
  const log = await open(logPath, 'a', 0o600);
  let failure: string | undefined;
  const child = spawn(program, [...programArgs, 'run', '--data-dir', dataDir, ...(isNew ? ['--init'] : [])], {
    cwd: '/',
    detached: true,
    stdio: isNew ? ['pipe', 'pipe', log.fd] : ['ignore', log.fd, log.fd],
  });
  child.on('error', (error) => (failure = error.message));
  child.on(
    'exit',
    (code, signalName) => (failure = signalName ? `killed by ${signalName}` : `exit code ${code}`),
  );
  child.unref();
  await log.close();
  return { child, failure: () => failure, logPath };
}

/** Hands the configuration to a new controller. Returns its answer. */
async function madeBy(
  { child, failure, logPath }: Daemon,
  { clock = systemClock, signal }: DaemonOptions,
  config: InitConfig,
): Promise<InitResult> {
  const stop = (): void => void child.kill('SIGTERM');
  signal?.addEventListener('abort', stop, { once: true });
  try {
    signal?.throwIfAborted();
    // A controller that fails before it reads gives the reason.
    child.stdin!.on('error', () => undefined).write(`${JSON.stringify(config)}\n`);
    let text = '';
    for await (const chunk of child.stdout!) if ((text += String(chunk)).includes('\n')) break;
    signal?.throwIfAborted();
    if (text.includes('\n')) {
      const answer = JSON.parse(text) as InitResult | { readonly error: string };
      if (!('error' in answer)) {
        child.stdin!.end('run\n');
        return answer;
      }
      throw new Error(answer.error);
    }
    throw new Error(`the controller was not made (${failure() ?? 'it ended'})\n${await tail(logPath)}`);
  } catch (error) {
    if (child.pid !== undefined) await stopProcess(child.pid, clock);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

async function untilServing(
  { child, failure, logPath }: Daemon,
  { dataDir, clock = systemClock, signal }: DaemonOptions,
): Promise<void> {
  try {
    const deadline = clock.now() + startTimeoutMs;
    while (!(await serves(dataDir, child.pid))) {
      const late = clock.now() > deadline ? `not ready after ${startTimeoutMs / 1000} s` : undefined;
      const reason = failure() ?? late;
      if (reason !== undefined)
        throw new Error(`the controller did not start (${reason})\n${await tail(logPath)}`);
      await clock.sleep(pollMs, signal);
    }
  } catch (error) {
    if (child.pid !== undefined) await stopProcess(child.pid, clock);
    throw error;
  }
}

/**
 * Stops every controller that serves this data directory, whatever the pid file says and however it was started, so
 * that no process has the store open afterwards. Errors: plain Error that names a process which does not end, or which
 * is no controller.
 */
export async function stopDaemon({ dataDir, clock = systemClock }: DaemonOptions): Promise<void> {
  for (const pid of await servingProcesses(dataDir)) await stopProcess(pid, clock);
  const [holder] = await storeHolders(dataDir);
  if (holder !== undefined)
    throw new Error(
      `process ${holder} has the store in ${dataDir} open and is not a controller that this command can stop: end it first; nothing was removed`,
    );
}

/** Returns the process id; undefined when the controller does not run. */
export async function daemonPid(dataDir: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(dataDir, 'controller.pid'), 'utf8').catch(() => ''));
  if (!(pid > 0)) return undefined;
  // The process id may belong to another process by now.
  return (await isServing(pid, dataDir)) ? pid : undefined;
}

/**
 * Returns whether the new process serves. A `ready` file that a killed process left does not count: the file must be
 * newer than the pid file of the new process.
 */
async function serves(dataDir: string, pid: number | undefined): Promise<boolean> {
  if (pid === undefined || (await daemonPid(dataDir)) !== pid) return false;
  const [ready, pidFile] = await Promise.all(
    ['ready', 'controller.pid'].map((name) => stat(join(dataDir, name)).catch(() => undefined)),
  );
  return ready !== undefined && pidFile !== undefined && ready.mtimeMs >= pidFile.mtimeMs;
}

async function stopProcess(pid: number, clock: Clock): Promise<void> {
  const startTime = await startOf(pid);
  if (!sendSignal(pid, 'SIGTERM')) return;
  const deadline = clock.now() + stopTimeoutMs;
  // The start time is compared too, because the process id may be reused as soon as the process has ended.
  while (sendSignal(pid, 0) && (await startOf(pid)) === startTime) {
    if (clock.now() > deadline + killTimeoutMs)
      throw new Error(`process ${pid} of the controller does not end after SIGKILL`);
    if (clock.now() > deadline) sendSignal(pid, 'SIGKILL');
    await clock.sleep(pollMs);
  }
}

/**
 * Returns a process's start in ticks since the host's boot; undefined when it is not known. A zombie counts as ended.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** Sends a signal. False when there is no such process. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function tail(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-15).join('\n');
}
