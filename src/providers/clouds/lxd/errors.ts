/** Classification of LXD's failures by who must act (docs/provisioning.md). */
import { JujuError } from '../../../core/errors.ts';
import type { FailureClass } from '../../../core/machine/failure.ts';
import { ProviderError } from '../../contract/provider.ts';
import { LxdError } from './client.ts';

/** Error texts of LXD 5.0 to 6 and their classes; failed operations return nothing else. The first match wins. */
const texts: readonly (readonly [RegExp, FailureClass])[] = [
  // The failing party is an image server, or another member.
  [
    /no such host|connection (refused|reset)|i\/o timeout|handshake timeout|unreachable|deadline exceeded|unexpected EOF/i,
    'transient',
  ],
  [
    /no space left on device|disk quota exceeded|not enough (free )?space|insufficient free space|out of space/i,
    'quota',
  ],
  [/reached maximum (number|aggregate)|(exceeds|over) .{0,200}limit of project|project limit/i, 'quota'],
  [/certificate is restricted|not authorized|forbidden|permission denied for project/i, 'credential'],
  [/\bmember\b.{0,200}\b(offline|evacuated|unavailable|not online)\b|cluster member is not ready/i, 'zonal'],
  [/no suitable cluster member|couldn't find a cluster member/i, 'zonal'],
  // A newer image replaced this one after it was found.
  [/\bimage not found/i, 'transient'],
  [/requested image/i, 'bad request'],
  [
    /storage pool not found|network not found|project not found|no root device|failed getting root disk/i,
    'bad request',
  ],
  [
    /virtual machines? .{0,200}not supported|instance type .{0,200}not (supported|operational)|kvm support is missing|vhost_vsock/i,
    'bad request',
  ],
  [
    /invalid (value|config|devices?|option)|failed (parsing|validating)|bad request|not allowed|unknown configuration key/i,
    'bad request',
  ],
];

/** Tells whether another operation blocks the instance: repeating the same request shows the outcome. */
export function isBusy(error: unknown): boolean {
  return saysOf(
    error,
    /is busy running|matching non-reusable operation|operation (is )?in progress|try again/i,
  );
}

/** Tells whether the name is taken, by an instance or by one that is being created. */
export function isTaken(error: unknown): boolean {
  return (
    saysOf(
      error,
      /already exists|is busy running a "create"|already being created|name .{0,200}already in use/i,
    ) ||
    (error instanceof LxdError && error.status === 409)
  );
}

function saysOf(error: unknown, pattern: RegExp): boolean {
  return error instanceof LxdError && error.status !== 0 && pattern.test(error.message);
}

export function isAbsent(error: unknown): boolean {
  return error instanceof LxdError && (error.status === 404 || /^instance not found/i.test(error.message));
}

/** Classifies errors of LXD; other errors, e.g. an abort's reason or a bug, are returned unchanged. */
export function providerError(error: unknown, what = ''): unknown {
  if (error instanceof JujuError) {
    // The missing object existed a moment ago and was deleted meanwhile.
    const errorClass = error.code === 'not found' ? 'transient' : 'bad request';
    return new ProviderError(errorClass, error.message, { cause: error });
  }
  if (!(error instanceof LxdError)) return error;
  return new ProviderError(classOf(error), `${what === '' ? '' : `${what}: `}${said(error)}`, {
    cause: error,
  });
}

/** Runs the work with its failures classified. */
export async function classified<T>(work: Promise<T>, what = ''): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw providerError(error, what);
  }
}

export function classOf(error: LxdError): FailureClass {
  const { failure, status, message } = error;
  if (failure === 'access') return 'credential';
  if (failure === 'none') return 'transient';
  if (status === 401 || status === 403) return 'credential';
  const known = texts.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  if (failure === 'operation' || status >= 500 || isBusy(error) || isTaken(error)) return 'transient';
  return status === 408 || status === 412 || status === 429 ? 'transient' : 'bad request';
}

function said({ failure, status, message }: LxdError): string {
  if (failure === 'access' || failure === 'none') return message;
  if (status === 403)
    return `LXD refuses it (${message}): the credential's certificate is not trusted by the server, or not for this project`;
  return failure === 'answer' && status >= 500 ? `LXD answered ${status}: ${message}` : message;
}
