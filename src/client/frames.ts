/** Calls and their answers on one WebSocket (wire.md#frames): request ids, pending calls and the end of the socket. */
import { JujuError } from '../core/errors.ts';
import { onAbort } from '../kit/on-abort.ts';
import { fromWireError } from '../wire/errors.ts';
import { decodeResponse, encodeRequest, type RequestFrame, type ResponseFrame } from '../wire/frames.ts';

export interface Frames {
  /**
   * Sends a call. Errors: JujuError of the answer; `try again` when the socket is gone; the signal's reason after an
   * abort.
   */
  call(request: CallRequest, signal?: AbortSignal): Promise<unknown>;
  /** Promise that resolves with the reason when the socket is gone. */
  readonly closed: Promise<Error>;
  close(): Promise<void>;
  /** Ends the socket at once, without a close handshake. */
  fail(reason: Error): void;
}

type CallRequest = Omit<RequestFrame, 'requestId'>;

/** Members of a WebSocket that frames need; the sockets of ws have them. */
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
    for (const call of pending.values()) call.reject(connectionLost(reason));
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
    let frame: ResponseFrame;
    try {
      frame = decodeResponse(data.toString());
    } catch (error) {
      finish(error as Error);
      socket.terminate();
      return;
    }
    const call = pending.get(frame.requestId);
    pending.delete(frame.requestId);
    if (!call) return;
    if ('error' in frame) call.reject(fromWireError(frame.error));
    else call.resolve(frame.response);
  });

  return {
    closed,
    call(request, signal) {
      if (end) return Promise.reject(connectionLost(end));
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      const requestId = ++lastId;
      return new Promise((resolve, reject) => {
        const forget =
          signal &&
          onAbort(signal, () => {
            pending.delete(requestId);
            reject(signal.reason as Error);
          });
        pending.set(requestId, {
          resolve: (value) => (forget?.(), resolve(value)),
          reject: (error) => (forget?.(), reject(error)),
        });
        // A failed send closes the socket, which rejects the call: the callback has nothing to do.
        socket.send(encodeRequest({ requestId, ...request }), () => undefined);
      });
    },
    async close() {
      finish(new Error('connection closed by the client'));
      socket.close();
      await closed;
    },
    fail(reason) {
      finish(reason);
      socket.terminate();
    },
  };
}

function connectionLost(reason: Error): JujuError {
  return new JujuError('try again', `connection to the controller lost: ${reason.message}`, {
    cause: reason,
  });
}
