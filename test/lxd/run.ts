/** Programs and processes of this host for the LXD suite. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** Runs a program and returns its result; code -1 when it could not be started or exceeded its timeout. */
export function attempt(
  argv: readonly string[],
  { env, input, timeoutMs = 120_000 }: Options = {},
): Promise<Output> {
  return new Promise((resolve) => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let [stdout, stderr] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', (error) => resolve({ code: -1, stdout, stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** Runs a program and returns its output. Rejects when it fails, with its stderr. */
export async function run(argv: readonly string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(argv, options);
  if (code !== 0) throw new Error(`${argv.slice(0, 4).join(' ')}: exit code ${code}\n${stderr}${stdout}`);
  return stdout;
}

/** Returns the output of a program; '' when it fails. */
export function ask(argv: readonly string[]): string {
  const [program = '', ...args] = argv;
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}

/** Installs missing Debian packages; waits for the package manager's lock. */
export async function ensurePackages(names: readonly string[]): Promise<void> {
  const has = (name: string): boolean =>
    ask(['dpkg-query', '-W', '-f', '${db:Status-Status}', name]) === 'installed';
  const missing = names.filter((name) => !has(name));
  if (missing.length === 0) return;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const apt = ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];
  await run([...apt, 'update'], { env, timeoutMs: 300_000 });
  await run([...apt, 'install', '-y', '--no-install-recommends', ...missing], { env, timeoutMs: 900_000 });
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Arguments joined by spaces. */
  readonly command: string;
}

export function processes(): Process[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid, parent: Number(parent), command }];
      } catch {
        return [];
      }
    });
}

export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid);
}

/** Repeats the check. Returns whether it held in time. */
export async function within(ms: number, check: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(100))
    if (await check()) return true;
  return false;
}

/** Signals processes, and kills them when they do not end in time. */
export async function kill(
  pids: readonly number[],
  first: NodeJS.Signals,
  patienceMs = 10_000,
): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // ESRCH: the process has ended.
      }
    }
  };
  signal(first);
  if (await within(patienceMs, () => !pids.some(isAlive))) return;
  signal('SIGKILL');
  await within(patienceMs, () => !pids.some(isAlive));
}

/** Returns the start time of a process, which distinguishes it from a later one with the same pid. */
export function startOf(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
