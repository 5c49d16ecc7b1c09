/** Frames: one JSON object for each WebSocket message (wire.md#frames). */
import { JujuError } from '../core/errors.ts';
import { checkDepth } from '../core/parse-json.ts';
import type { WireError } from './errors.ts';
import { defined } from '../core/defined.ts';

export interface RequestFrame {
  readonly requestId: number;
  /** Name of the facade. */
  readonly type: string;
  /** Version of the facade; 0 when absent. */
  readonly version: number;
  /** Id of the watcher; '' when absent. */
  readonly id: string;
  /** Name of the method. */
  readonly request: string;
  /** Parameters that are not yet decoded. */
  readonly params: unknown;
}

export type ResponseFrame =
  | { readonly requestId: number; readonly response: unknown }
  | { readonly requestId: number; readonly error: WireError };

export function encodeRequest(frame: RequestFrame): string {
  return JSON.stringify({
    'request-id': frame.requestId,
    type: frame.type,
    version: frame.version,
    ...defined({ id: frame.id || undefined }),
    request: frame.request,
    params: frame.params ?? {},
  });
}

/**
 * Decodes a request; keys match without regard to case (python sends `Id`).
 * Errors: JujuError, whose `info` holds the `request-id` when that could be read.
 */
export function decodeRequest(text: string): RequestFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new JujuError('bad request', `malformed JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new JujuError('bad request', 'a request must be a JSON object');
  const members = lowerCased(value as Record<string, unknown>);
  const requestId = members['request-id'] ?? 0;
  if (!Number.isSafeInteger(requestId) || (requestId as number) < 0)
    throw new JujuError('bad request', 'request-id must be a non-negative number');
  try {
    checkDepth(value);
  } catch (cause) {
    throw badMember(requestId as number, (cause as Error).message);
  }
  const version = members['version'] ?? 0;
  if (!Number.isSafeInteger(version) || (version as number) < 0)
    throw badMember(requestId as number, 'version must be a non-negative number');
  const textOf = (name: string): string => {
    const member = members[name] ?? '';
    if (typeof member === 'string') return member;
    throw badMember(requestId as number, `${name} must be a string`);
  };
  return {
    requestId: requestId as number,
    type: textOf('type'),
    version: version as number,
    id: textOf('id'),
    request: textOf('request'),
    params: members['params'],
  };
}

/** The members under lower-case keys: the object itself when it has no others, as most clients send it. */
function lowerCased(members: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(members);
  if (keys.every((key) => key === key.toLowerCase())) return members;
  const folded = Object.create(null) as Record<string, unknown>;
  for (const key of keys) folded[key.toLowerCase()] = members[key];
  return folded;
}

/** Encodes a response. Errors: RangeError when the response is larger than a string may be. */
export function encodeResponse(frame: ResponseFrame): string {
  if (!('error' in frame))
    return `{"request-id":${frame.requestId},"response":${JSON.stringify(frame.response ?? {})}}`;
  const { message, code, info } = frame.error;
  return JSON.stringify({
    'request-id': frame.requestId,
    error: message,
    ...defined({ 'error-code': code || undefined, 'error-info': info }),
    response: {},
  });
}

/**
 * Decodes a response. The depth is not checked: the check would cost a tenth more for a long answer, which comes from
 * the controller that the client trusts.
 * Errors: JujuError `bad request` for frames that no server sends.
 */
export function decodeResponse(text: string): ResponseFrame {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new JujuError('bad request', `malformed JSON: ${(cause as Error).message}`, { cause });
  }
  const requestId = value?.['request-id'];
  if (typeof requestId !== 'number') throw new JujuError('bad request', 'response has no request-id');
  const { error, 'error-code': code, 'error-info': info, response } = value;
  if (typeof error !== 'string' || error === '') return { requestId, response: response ?? {} };
  return {
    requestId,
    error: {
      message: error,
      code: typeof code === 'string' ? code : '',
      ...(typeof info === 'object' && info !== null ? { info: info as Record<string, unknown> } : {}),
    },
  };
}

function badMember(requestId: number, message: string): JujuError {
  return new JujuError('bad request', message, { info: { 'request-id': requestId } });
}
