/**
 * Wrapper of the system's OpenSSH client. The user's configuration, agent and proxies apply; host keys are kept in
 * grigri's own file.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { notValid } from '../../../core/errors.ts';
import { formatSshTarget, hostKeyName, isTarget, type SshTarget } from '../../contract/ssh-target.ts';
import { SshError, sshVerdict } from './verdict.ts';
import { defined } from '../../../core/defined.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

export { formatSshTarget, parseSshTarget, type SshTarget } from '../../contract/ssh-target.ts';
export { SshError, type SshErrorKind } from './verdict.ts';

interface SshOptions {
  readonly target: SshTarget;
  /**
   * Path of grigri's own known_hosts file, created when absent. The first key that a host presents is stored here, and
   * no other is accepted afterwards.
   */
  readonly knownHostsFile: string;
  /** Paths of the only private keys to log in with; empty = those of the user's ssh configuration. */
  readonly identityFiles: readonly string[];
  /** Permission for ssh to ask for a password or a key's passphrase on the terminal. */
  readonly mayAsk: boolean;
}

export interface SshRunOptions {
  /** Standard input of the command; absent = empty. */
  readonly stdin?: string | Readable;
  /** Aborts by closing the connection at once; the remote command may run on for a while. */
  readonly signal?: AbortSignal;
  /** Receives each line of output as it arrives. */
  readonly onOutput?: (line: string, from: 'stdout' | 'stderr') => void;
}

export interface SshResult {
  /** Exit status of the command. */
  readonly code: number;
  /** Last MiB of standard output. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Ssh {
  readonly target: SshTarget;
  /** Runs a command, which the remote login shell parses. Errors: SshError; the signal's reason. */
  run(command: string, options?: SshRunOptions): Promise<SshResult>;
  /** Runs a command with this process' terminal, on which it may ask. Resolves to its exit status. Errors: as `run`. */
  onTerminal(command: string, options?: { readonly signal?: AbortSignal }): Promise<number>;
}

const outputMax = 1 << 20;

/**
 * Creates an ssh client for the target. Errors: JujuError `not valid` when the target is not a host name or address.
 */
export function createSsh(options: SshOptions): Ssh {
  const { target, knownHostsFile } = options;
  if (!isTarget(target)) throw notValid(`"${formatSshTarget(target)}" is not a host that ssh can reach`);

  async function start(command: string, terminal: boolean, stdio: StdioOptions): Promise<ChildProcess> {
    await makeFolder(dirname(knownHostsFile), 0o700);
    const known = await isKnown(knownHostsFile, target);
    return spawn('ssh', [...argumentsOf(options, known, terminal), command], {
      stdio,
      env: { ...process.env, LC_ALL: 'C' },
      // A separate process group lets grigri handle ^C itself; ssh stays in this group only when it asks on the
      // terminal.
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

/** Returns the host name after the user's ssh configuration is applied, which may define another name or address. */
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
    // `accept-new` would accept a key of another type from a known host.
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
    ...defined({ IdentitiesOnly: identityFiles.length > 0 ? 'yes' : undefined }),
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

/** Quotes a path for ssh's options: spaces do not split it, and % is not expanded. */
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

/** Resolves to the exit status when the process has ended; 255 when a signal ended it. */
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
  return new SshError('failed', 'ssh not found on this computer: install the OpenSSH client', {
    cause: error,
  });
}

/** Writes the input. The returned function throws the read error of the input's source, if there was one. */
function feed(child: ChildProcess, stdin: string | Readable | undefined): () => void {
  let failure: Error | undefined;
  // EPIPE is ignored: a command that ends without reading all input is judged by its exit status.
  child.stdin?.on('error', () => undefined);
  if (typeof stdin === 'string') child.stdin?.end(stdin);
  else if (stdin && child.stdin) {
    stdin.once('error', (error) => {
      failure = error;
      // The input was truncated; the command must not treat it as complete.
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
