/** Connections of the API, wherever their sockets come from. */
import type { ServerContext } from './context.ts';
import { Session, type Origin, type SessionSocket } from './session.ts';

export interface Sessions {
  /** Serves a WebSocket that was opened on a model, or on the controller (''). */
  accept(socket: SessionSocket, origin: Origin): void;
  /** Closes all connections, and terminates those that do not answer. */
  stop(): Promise<void>;
}

const livenessIntervalMs = 30_000;
/** Timeout for a client that does not answer the close frame. */
const goodbyeMs = 500;

export function openSessions(context: ServerContext): Sessions {
  const { clock } = context.services;
  const open = new Map<SessionSocket, Session>();
  const stopping = new AbortController();
  let onEmpty = (): void => undefined;

  const livenessChecks = checkPeriodically();
  async function checkPeriodically(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(livenessIntervalMs, stopping.signal).catch(() => undefined);
      if (!stopping.signal.aborted) for (const session of open.values()) session.checkLiveness(clock.now());
    }
  }

  return {
    accept(socket, origin) {
      open.set(socket, new Session(context, socket, origin));
      socket.on('close', () => {
        open.delete(socket);
        if (open.size === 0) onEmpty();
      });
    },
    async stop() {
      stopping.abort(new Error('server stopped'));
      const empty = open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => (onEmpty = resolve));
      for (const socket of open.keys()) socket.close(1001, 'the controller is stopping');
      const timeout = new AbortController();
      await Promise.race([empty, clock.sleep(goodbyeMs, timeout.signal).catch(() => undefined)]);
      timeout.abort();
      for (const socket of open.keys()) socket.terminate();
      await livenessChecks;
    },
  };
}
