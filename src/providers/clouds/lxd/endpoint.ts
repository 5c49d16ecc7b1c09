/** Endpoints of LXD. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { notValid } from '../../../core/errors.ts';

export type Endpoint = { readonly socket: string } | { readonly origin: string };

/** Default port of LXD. */
const httpsPort = 8443;

/** Lists the sockets of LXD on this host, the most likely first: of `$LXD_DIR`, the snap's, Debian's. */
export function socketPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  return [
    ...(env['LXD_DIR'] ? [join(env['LXD_DIR'], 'unix.socket')] : []),
    '/var/snap/lxd/common/lxd/unix.socket',
    '/var/lib/lxd/unix.socket',
  ];
}

/**
 * Parses `unix:///path`, `/path`, `https://host:8443`, `host:8443` or `host`; empty (also `unix://`, and a cloud's
 * `localhost`) is the LXD of this host. Errors: JujuError `not valid`.
 */
export function parseEndpoint(
  text: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Endpoint {
  const path = text.startsWith('/') ? text : /^unix:(?:\/\/)?(.*)$/.exec(text)?.[1];
  if (path) return { socket: path };
  if (path === '' || text === '' || text === 'localhost') {
    const paths = socketPaths(env);
    return { socket: paths.find((each) => existsSync(each)) ?? paths[0]! };
  }
  const [, host, port = httpsPort] =
    /^(?:https:\/\/)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(?::(\d+))?\/*$/.exec(text) ?? [];
  if (host === undefined)
    throw notValid(`endpoint "${text}": expected https://<host>:${httpsPort}, or the path of a unix socket`);
  return { origin: `https://${host}:${port}` };
}

/** Tells whether the endpoint is this host's own LXD, which needs no certificate. */
export function isLocal(text: string): boolean {
  return 'socket' in parseEndpoint(text);
}
