import { formatSshTarget, hostKeyName, type SshTarget } from '../../contract/ssh-target.ts';

/**
 * Reason why a command did not run, or may not have finished: the host does not answer or stopped answering
 * (`unreachable`), has a key other than its known one (`host key`), or rejects the available logins (`denied`).
 */
export type SshErrorKind = 'unreachable' | 'host key' | 'denied' | 'failed';

export class SshError extends Error {
  override readonly name = 'SshError';
  readonly kind: SshErrorKind;
  constructor(kind: SshErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const words: readonly (readonly [SshErrorKind, RegExp])[] = [
  [
    'host key',
    /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed|host key is known for|REVOKED HOST KEY/,
  ],
  [
    'denied',
    /Permission denied \(|Too many authentication failures|No supported authentication methods|Permission denied, please try again/,
  ],
  [
    'unreachable',
    /connect to host|Could not resolve hostname|[Cc]onnection (to .{0,300} )?(refused|timed out|reset|closed)|Timeout, server|kex_exchange_identification|No route to host|Network is unreachable|banner exchange|[Bb]roken pipe|client_loop/,
  ],
];

/** Interprets the stderr of ssh when it ended with its own exit status 255. */
export function sshVerdict(stderr: string, target: SshTarget, knownHostsFile: string): SshError {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim());
  const [kind, pattern] = words.find(([, pattern]) => pattern.test(stderr)) ?? ['failed' as const, /^/];
  const lastLine = (lines.find((line) => pattern.test(line)) ?? 'exit status 255 without output')
    .replace(/^ssh: /, '')
    .trim();
  const hostText = formatSshTarget(target);
  switch (kind) {
    case 'host key': {
      const removal = `ssh-keygen -f '${knownHostsFile}' -R '${hostKeyName(target)}'`;
      return new SshError(
        kind,
        `the host key of ${target.host} does not match the one in ${knownHostsFile}: someone may be intercepting the connection, ` +
          `or the host was reinstalled; if it was, remove the old key: ${removal}`,
      );
    }
    case 'denied':
      return new SshError(kind, `${hostText} refuses the login: ${lastLine}`);
    case 'unreachable':
      return new SshError(kind, `cannot reach ${hostText} by ssh: ${lastLine}`);
    case 'failed':
      return new SshError(kind, `ssh to ${hostText}: ${lines.at(-1)?.trim() ?? lastLine}`);
  }
}
