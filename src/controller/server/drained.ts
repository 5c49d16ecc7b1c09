import type { WebSocket } from 'ws';

/** Waits until everything was sent, or the socket has closed, or `signal` aborts. */
export function drained(socket: WebSocket, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.removeListener('close', done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    socket.once('close', done);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
    else socket.ping('', false, done);
  });
}
