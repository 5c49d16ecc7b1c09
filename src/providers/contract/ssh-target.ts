import { notValid } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';

/** User, host and port of an ssh login; absent members come from the user's ssh configuration. */
export interface SshTarget {
  readonly user?: string;
  readonly host: string;
  readonly port?: number;
}

/** Parses `[user@]host[:port]`; an IPv6 address with a port is in brackets. Errors: JujuError `not valid`. */
export function parseSshTarget(text: string): SshTarget {
  const at = text.lastIndexOf('@');
  const user = at < 0 ? undefined : text.slice(0, at);
  const rest = text.slice(at + 1);
  const parts = /^\[([^\]]*)\](?::(.*))?$/.exec(rest) ?? /^([^:]*)(?::([^:]*))?$/.exec(rest);
  const host = parts?.[1] ?? rest;
  const port = parts?.[2] === undefined ? undefined : Number(parts[2]);
  const target = {
    ...defined({ user }),
    host,
    ...defined({ port }),
  };
  if (!isTarget(target)) throw notValid(`"${text}" is not [user@]host[:port]`);
  return target;
}

/** Formats a target as `user@host:port`. */
export function formatSshTarget({ user, host, port }: SshTarget): string {
  const place = port === undefined ? host : host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return user === undefined ? place : `${user}@${place}`;
}

/** Returns the known_hosts name of a target: another port may be another computer. */
export function hostKeyName({ host, port = 22 }: SshTarget): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** Checks that neither ssh nor the shell of a ProxyCommand can parse the target as anything but a name. */
export function isTarget({ user, host, port }: SshTarget): boolean {
  return (
    /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]*$/.test(host) &&
    (user === undefined || /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/.test(user)) &&
    (port === undefined || (Number.isInteger(port) && port > 0 && port < 65536))
  );
}
