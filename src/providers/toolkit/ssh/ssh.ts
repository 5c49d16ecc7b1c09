/** The system's OpenSSH client: the person's own configuration, agent and proxies apply; host keys are ours. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { notValid } from '../../../core/errors.ts';
import { formatSshTarget, hostKeyName, isTarget, type SshTarget } from '../../contract/ssh-target.ts';
import { SshError, sshVerdict } from './verdict.ts';

export { formatSshTarget, parseSshTarget, type SshTarget } from '../../contract/ssh-target.ts';
export { SshError, type SshErrorKind } from './verdict.ts';

export interface SshOptions {
  readonly target: SshTarget;
  /**
   * Ours, not the person's; made when it is not there. The first key that a host shows is kept here, and from then on no
   * other is taken.
   */
  readonly knownHostsFile: string;
  /** Private keys to log in with, these alone; none = whatever the person's ssh has. */
  readonly identityFiles: readonly string[];
  /** ssh may ask on the terminal: for a password or a key's passphrase. */
  readonly mayAsk: boolean;
}

export interface SshRunOptions {
  /** Absent: the command reads nothing. */
  readonly stdin?: string | Readable;
  /** Aborted: the connection is cut at once; the command may go on for a while. */
  readonly signal?: AbortSignal;
  /** Each line that the command says, as it comes. */
  readonly onOutput?: (line: string, from: 'stdout' | 'stderr') => void;
}

export interface SshResult {
  /** The command's exit status. */
  readonly code: number;
  /** Their last MiB. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Ssh {
  readonly target: SshTarget;
  /** `command` is for the login shell there. Errors: SshError; the signal's reason. */
  run(command: string, options?: SshRunOptions): Promise<SshResult>;
  /** With this process' terminal, on which the command may ask. Resolves to its exit status. Errors: as `run`. */
  onTerminal(command: string, options?: { readonly signal?: AbortSignal }): Promise<number>;
}

const outputMax = 1 << 20;

/** Errors: JujuError `not valid` when the target is no host's name or address. */
export function createSsh(options: SshOptions): Ssh {
  const { target, knownHostsFile } = options;
  if (!isTarget(target)) throw notValid(`"${formatSshTarget(target)}" is no host that ssh can reach`);

  async function start(command: string, terminal: boolean, stdio: StdioOptions): Promise<ChildProcess> {
    await mkdir(dirname(knownHostsFile), { recursive: true, mode: 0o700 });
    const known = await isKnown(knownHostsFile, target);
    return spawn('ssh', [...argumentsOf(options, known, terminal), command], {
      stdio,
      env: { ...process.env, LC_ALL: 'C' },
      // ^C in the terminal is ours to handle; only who asks there must stay in its group.
      detached: !options.mayAsk && !terminal,
    });
  }

  return {
    target,

    async run(command, { stdin, signal, onOutput } = {}) {
      signal?.throwIfAborted();
      const child = await start(command, false, [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']);
      const stdout = collect(child.stdout!, (line) => onOutput?.(line, 'stdout'));
      const stderr = collect(child.stderr!, (line) => onOutput?.(line, 'stderr'));
      const fed = feed(child, stdin);
      const code = await ended(child, signal);
      signal?.throwIfAborted();
      fed();
      if (code === 255) throw sshVerdict(stderr.text(), target, knownHostsFile);
      return { code, stdout: stdout.text(), stderr: stderr.text() };
    },

    async onTerminal(command, { signal } = {}) {
      signal?.throwIfAborted();
      const child = await start(command, true, ['inherit', 'inherit', 'pipe']);
      const stderr = collect(child.stderr!, () => undefined);
      child.stderr!.pipe(process.stderr, { end: false });
      const code = await ended(child, signal);
      signal?.throwIfAborted();
      if (code === 255) throw sshVerdict(stderr.text(), target, knownHostsFile);
      return code;
    },
  };
}

/** What the person's ssh makes of the host's name: their configuration may have another name or address for it. */
export async function sshHostname({ host }: SshTarget): Promise<string> {
  const child = spawn('ssh', ['-G', '--', host], { stdio: ['ignore', 'pipe', 'ignore'] });
  const stdout = collect(child.stdout, () => undefined);
  await ended(child, undefined);
  return /^hostname (.+)$/m.exec(stdout.text())?.[1] ?? host;
}

function argumentsOf(
  { target, knownHostsFile, identityFiles, mayAsk }: SshOptions,
  known: boolean,
  terminal: boolean,
): string[] {
  const settings = {
    BatchMode: mayAsk ? 'no' : 'yes',
    // accept-new would take a key of another kind from a host that is known already.
    StrictHostKeyChecking: known ? 'yes' : 'accept-new',
    UserKnownHostsFile: quoted(knownHostsFile),
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: hostKeyName(target),
    HashKnownHosts: 'no',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    VerifyHostKeyDNS: 'no',
    ConnectTimeout: '15',
    ServerAliveInterval: '10',
    ServerAliveCountMax: '3',
    NumberOfPasswordPrompts: '3',
    ControlMaster: 'no',
    ControlPath: 'none',
    ClearAllForwardings: 'yes',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    PermitLocalCommand: 'no',
    RemoteCommand: 'none',
    EscapeChar: 'none',
    LogLevel: 'ERROR',
    ...(identityFiles.length > 0 && { IdentitiesOnly: 'yes' }),
  };
  return [
    ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
    ...identityFiles.flatMap((file) => ['-i', file]),
    ...(target.user === undefined ? [] : ['-l', target.user]),
    ...(target.port === undefined ? [] : ['-p', String(target.port)]),
    terminal ? '-tt' : '-T',
    '--',
    target.host,
  ];
}

/** A path with spaces is one path to ssh, and % is no sign of its own. */
function quoted(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

function isKnown(knownHostsFile: string, target: SshTarget): Promise<boolean> {
  const child = spawn('ssh-keygen', ['-F', hostKeyName(target), '-f', knownHostsFile], { stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(missing(error)));
    child.once('close', (code) => resolve(code === 0));
  });
}

/** Resolves when the program is gone, to its exit status; 255 when a signal ended it. */
async function ended(child: ChildProcess, signal: AbortSignal | undefined): Promise<number> {
  const cut = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', cut, { once: true });
  if (signal?.aborted) cut();
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(missing(error)));
      child.once('close', (code) => resolve(code ?? 255));
    });
  } finally {
    signal?.removeEventListener('abort', cut);
  }
}

function missing(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  return new SshError('failed', 'there is no ssh on this computer: install its OpenSSH client', {
    cause: error,
  });
}

/** Writes the input. The returned function throws what went wrong with the source of it. */
function feed(child: ChildProcess, stdin: string | Readable | undefined): () => void {
  let failure: Error | undefined;
  // A command that ends without reading all is judged by its exit status.
  child.stdin?.on('error', () => undefined);
  if (typeof stdin === 'string') child.stdin?.end(stdin);
  else if (stdin && child.stdin) {
    stdin.once('error', (error) => {
      failure = error;
      // What came is not all: nobody may take it for the whole.
      child.kill('SIGKILL');
    });
    stdin.pipe(child.stdin);
  }
  return () => {
    if (failure) throw failure;
  };
}

function collect(stream: Readable, onLine: (line: string) => void): { text: () => string } {
  let text = '';
  let unfinished = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-outputMax);
    const lines = (unfinished + chunk).split(/\r?\n/);
    unfinished = lines.pop()!.slice(-outputMax);
    for (const line of lines) onLine(line);
  });
  stream.once('end', () => {
    if (unfinished) onLine(unfinished);
  });
  return { text: () => text };
}
