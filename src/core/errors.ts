/** Juju's wire error codes (wire.md#errors). Programs distinguish errors by code; people read the message. */
export const errorCodes = [
  'not found',
  'user not found',
  'model not found',
  'unauthorized access',
  'session token invalid',
  'login expired',
  'no credentials provided',
  'cannot enter scope',
  'cannot enter scope yet',
  'excessive contention',
  'unit has subordinates',
  'not assigned',
  'stopped',
  'dead',
  'machine has assigned units',
  'controller has hosted models',
  'controller/model has persistent storage',
  'model not empty',
  'machine has attached storage',
  'machine is hosting containers',
  'storage is attached',
  'not provisioned',
  'no address set',
  'try again',
  'not implemented',
  'already exists',
  'upgrade in progress',
  'model migration in progress',
  'action no longer available',
  'operation is blocked',
  'leadership claim denied',
  'lease claim denied',
  'not supported',
  'bad request',
  'method not allowed',
  'forbidden',
  'macaroon discharge required',
  'redirection required',
  'incompatible base',
  'cloud region required',
  'incompatible clouds',
  'quota limit exceeded',
  'not leader',
  'deadline exceeded',
  'not yet available; try again later',
  'not valid',
  'access required',
  'application should not have units',
  'fatal login error',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Whether new JujuErrors record their stacks. */
let recordsStacks = true;

/**
 * Runs `fn`; JujuErrors that it makes before its first wait have no stack. Meant for answers with thousands of errors
 * of which only the messages are used: a stack takes six times as long as the rest of an error.
 */
export function withoutStacks<T>(fn: () => T): T {
  const before = recordsStacks;
  recordsStacks = false;
  try {
    return fn();
  } finally {
    recordsStacks = before;
  }
}

/**
 * An error that the caller can act on: sent as it is, with its wire code ('' is sent without a code, as Juju's plain
 * errors are). Anything else that is thrown is a bug of grigri: logged in full and sent without details.
 */
export class JujuError extends Error {
  override readonly name = 'JujuError';
  readonly code: ErrorCode | '';
  readonly info: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode | '',
    message: string,
    options: { cause?: unknown; info?: Record<string, unknown> } = {},
  ) {
    const { stackTraceLimit } = Error;
    if (!recordsStacks) Error.stackTraceLimit = 0;
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.info = options.info;
  }

  /** Recognises instances of another copy of this class too: external providers may bring their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'JujuError' && 'code' in value;
  }
}

/** A `not found` error: `machine "3" not found`. */
export function notFound(what: string, name: string): JujuError {
  return new JujuError('not found', `${what} "${name}" not found`);
}

/** The error for a caller without permission, also when the entity may not exist. */
export function permissionDenied(): JujuError {
  return new JujuError('unauthorized access', 'permission denied');
}

/** A `not valid` error for a caller's invalid value. */
export function notValid(message: string, cause?: unknown): JujuError {
  return new JujuError('not valid', message, cause === undefined ? {} : { cause });
}

export function hasCode(error: unknown, code: ErrorCode): error is JujuError {
  return error instanceof JujuError && error.code === code;
}
