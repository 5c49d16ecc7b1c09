import { hasCode } from '../core/errors.ts';
import { hostPort } from '../core/host-port.ts';
import { isControllerName } from '../core/names.ts';

/** The controller that has a model now, as the one that it has left tells it (migration.md#redirect). */
export interface Redirection {
  readonly addresses: readonly string[];
  readonly caCert: string;
  readonly controllerTag: string;
  /** The controller's name on the client of the user who migrated the model; '' = unknown, or no name of one. */
  readonly alias: string;
}

/** Reads where an error of a login sends the client; undefined for another error, or one that does not say it. */
export function readRedirection(error: unknown): Redirection | undefined {
  if (!hasCode(error, 'redirection required')) return undefined;
  const { servers, ...info } = (error.info ?? {}) as {
    readonly servers?: readonly (readonly { readonly value?: unknown; readonly port?: unknown }[])[];
    readonly 'ca-cert'?: unknown;
    readonly 'controller-tag'?: unknown;
    readonly 'controller-alias'?: unknown;
  };
  const addresses = (Array.isArray(servers) ? servers.flat() : []).flatMap(({ value, port }) =>
    typeof value === 'string' && typeof port === 'number' ? [hostPort(value, port)] : [],
  );
  const caCert = text(info['ca-cert']);
  if (addresses.length === 0 || caCert === '') return undefined;
  const alias = text(info['controller-alias']);
  return {
    addresses,
    caCert,
    controllerTag: text(info['controller-tag']),
    alias: isControllerName(alias) ? alias : '',
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
