/** Calls and their answers on one WebSocket (facts: wire-facts §1.3): request ids, pending calls, the end. */
import { errorCodes, JujuError, type ErrorCode } from '../core/errors.ts';

export interface Frames {
  /** Rejects with JujuError: the answer's, or `try again` when the socket is gone; or with the signal's reason. */
  call(request: CallRequest, signal?: AbortSignal): Promise<unknown>;
  /** Resolves when the socket is gone, with the reason. */
  readonly closed: Promise<Error>;
  close(): Promise<void>;
  /** Ends at once, without a goodbye to a side that does not listen. */
  fail(reason: Error): void;
}

export interface CallRequest {
  readonly type: string;
  readonly version: number;
  readonly id: string;
  readonly request: string;
  readonly params: unknown;
}

/** What a WebSocket gives; ws's satisfies it. */
export interface FrameSocket {
  send(text: string, done: (error?: Error | null) => void): void;
  close(): void;
  terminate(): void;
  on(event: 'message', listener: (data: { toString(): string }, isBinary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: { toString(): string }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function openFrames(socket: FrameSocket): Frames {
  const pending = new Map<number, Pending>();
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<Error>();
  let lastId = 0;
  let end: Error | undefined;
  let problem: Error | undefined;

  const finish = (reason: Error): void => {
    if (end) return;
    end = reason;
    for (const call of pending.values()) call.reject(lost(reason));
    pending.clear();
    resolveClosed(reason);
  };
  socket.on('error', (error) => (problem ??= error));
  socket.on('close', (code, reason) => {
    finish(
      problem ?? new Error(`connection closed (${code}${reason.toString() ? ` ${reason.toString()}` : ''})`),
    );
  });
  socket.on('message', (data) => {
    const frame = parseFrame(data.toString());
    if (!frame) {
      finish(new Error('the server sent something that is no answer'));
      socket.terminate();
      return;
    }
    const call = pending.get(frame.id);
    pending.delete(frame.id);
    if (!call) return;
    if (frame.error) call.reject(frame.error);
    else call.resolve(frame.response);
  });

  return {
    closed,
    call(request, signal) {
      if (end) return Promise.reject(lost(end));
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      const requestId = ++lastId;
      return new Promise((resolve, reject) => {
        const forget = (): void => signal?.removeEventListener('abort', onAbort);
        const onAbort = (): void => {
          pending.delete(requestId);
          reject(signal!.reason as Error);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        pending.set(requestId, {
          resolve: (value) => (forget(), resolve(value)),
          reject: (error) => (forget(), reject(error)),
        });
        // A failed send closes the socket, which rejects the call: nothing more to do here.
        socket.send(JSON.stringify({ 'request-id': requestId, ...request }), () => undefined);
      });
    },
    async close() {
      finish(new Error('connection closed by us'));
      socket.close();
      await closed;
    },
    fail(reason) {
      finish(reason);
      socket.terminate();
    },
  };
}

/** Its code when it is one of Juju's. */
export function toJujuError(message: string, code: unknown, info: unknown): JujuError {
  const known = errorCodes.includes(code as ErrorCode) ? (code as ErrorCode) : '';
  return new JujuError(
    known,
    message,
    info && typeof info === 'object' ? { info: info as Record<string, unknown> } : {},
  );
}

function lost(reason: Error): JujuError {
  return new JujuError('try again', `connection to the controller lost: ${reason.message}`, {
    cause: reason,
  });
}

function parseFrame(text: string): { id: number; error?: JujuError; response: unknown } | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (frame === null || typeof frame !== 'object') return undefined;
  const f = frame as Record<string, unknown>;
  const id = f['request-id'];
  if (typeof id !== 'number') return undefined;
  const response = f['response'] ?? {};
  const error = f['error'];
  if (error === undefined || error === null || error === '') return { id, response };
  return {
    id,
    response,
    error: toJujuError(
      typeof error === 'string' ? error : JSON.stringify(error),
      f['error-code'],
      f['error-info'],
    ),
  };
}
