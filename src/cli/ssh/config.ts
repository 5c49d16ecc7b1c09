/** Configuration that the system's ssh and scp get for one run: hosts by alias, jumps, and the keys to expect. */

export interface SshHost {
  /** Name of the host in the run's arguments, and in the file of its host keys. */
  readonly alias: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /**
   * Host keys to accept, and no others. With `file`: the keys that a file has, under the alias or, without one, the
   * address. `unchecked`: any key.
   */
  readonly keys:
    | readonly string[]
    | { readonly file: string; readonly alias: string | undefined }
    | 'unchecked';
  /** Alias of the host that the connection goes through. */
  readonly jump?: string;
}

interface ConfigParams {
  readonly hosts: readonly SshHost[];
  readonly identityFile: string;
  readonly knownHostsFile: string;
  /** Configuration of the user and of this computer, for options that are not set here. */
  readonly include: readonly string[];
}

/**
 * Renders the configuration. The first value of an option counts, so included files change none of these. Errors: plain
 * Error for an invalid address, which could begin options of its own.
 */
export function renderConfig({ hosts, identityFile, knownHostsFile, include }: ConfigParams): string {
  const blocks = hosts.map((host) => [
    `Host ${host.alias}`,
    `HostName ${addressOf(host)}`,
    // Options given by the user take precedence.
    `Port ${host.port}`,
    `User ${quoted(host.user)}`,
    `IdentityFile ${quoted(identityFile)}`,
    'PasswordAuthentication no',
    'ServerAliveInterval 30',
    'CheckHostIP no',
    'UpdateHostKeys no',
    'HashKnownHosts no',
    'GlobalKnownHostsFile /dev/null',
    ...keyOptions(host, knownHostsFile),
    `ProxyJump ${host.jump ?? 'none'}`,
  ]);
  const lines = blocks.map(([head = '', ...options]) =>
    [head, ...options.map((option) => `  ${option}`)].join('\n'),
  );
  const included = include.map((path) => `  Include ${quoted(path)}`);
  return [...lines, ['Host *', ...included].join('\n'), ''].join('\n');
}

function addressOf({ alias, address }: SshHost): string {
  if (!/^[\w.:%-]*$/.test(address)) throw new Error(`${JSON.stringify(address)} of ${alias} is no address`);
  return address.replaceAll('%', '%%');
}

/** Renders the file of the host keys to expect. */
export function renderKnownHosts(hosts: readonly SshHost[]): string {
  return hosts
    .flatMap(({ alias, keys }) => (Array.isArray(keys) ? keys.map((key: string) => `${alias} ${key}\n`) : []))
    .join('');
}

function keyOptions({ alias, keys }: SshHost, knownHostsFile: string): string[] {
  if (keys === 'unchecked')
    return ['StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null', 'LogLevel ERROR'];
  const { file, alias: name } = 'file' in keys ? keys : { file: knownHostsFile, alias };
  return [
    'StrictHostKeyChecking yes',
    `UserKnownHostsFile ${quoted(file)}`,
    ...(name === undefined ? [] : [`HostKeyAlias ${name}`]),
  ];
}

/** Quotes a value as one word; an unescaped `%` would begin a token. */
function quoted(text: string): string {
  return `"${text.replaceAll('%', '%%')}"`;
}
