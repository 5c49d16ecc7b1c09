/** Errors on the wire (wire.md#errors, wire.md#http-errors). */
import { JujuError, errorCodes, withoutStacks, type ErrorCode } from '../core/errors.ts';
import { defined } from '../core/defined.ts';
import { cut, limits } from '../core/limits.ts';

/** Error inside a result, for one item; at the top of a frame its members are spelled out. */
export interface WireError {
  readonly message: string;
  /** Error code; '' when there is none. */
  readonly code: string;
  readonly info?: Readonly<Record<string, unknown>>;
}

/** The error as it is sent. A long text, which quotes what the request names, is cut. */
export function wireError(error: JujuError): WireError {
  return {
    message: cut(limits.errorText, error.message),
    code: error.code,
    ...defined({ info: error.info }),
  };
}

/** Converts a received error, whose stack would be that of a frame's arrival. An unknown code is dropped. */
export function fromWireError(error: WireError): JujuError {
  const code = errorCodes.includes(error.code as ErrorCode) ? (error.code as ErrorCode) : '';
  const info = error.info ? { info: { ...error.info } } : {};
  return withoutStacks(() => new JujuError(code, error.message, info));
}

/** HTTP status for an error of this code. */
export function httpStatus(code: ErrorCode | ''): number {
  return statuses[code] ?? 500;
}

const statuses: Readonly<Partial<Record<ErrorCode | '', number>>> = {
  'unauthorized access': 401,
  'login expired': 401,
  'no credentials provided': 401,
  'macaroon discharge required': 401,
  'not found': 404,
  'user not found': 404,
  'model not found': 404,
  'bad request': 400,
  'operation is blocked': 400,
  'quota limit exceeded': 400,
  forbidden: 403,
  'method not allowed': 405,
  'redirection required': 301,
  'not yet available; try again later': 409,
  'not leader': 307,
};
