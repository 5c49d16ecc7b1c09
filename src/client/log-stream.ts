/** Client's side of the debug-log socket (wire.md#debug-log). */
import { fromWireError } from '../wire/errors.ts';
import { firstThatAnswers, openSocket, pinnedContext } from './connect.ts';
import { authHeaders, type HttpOptions } from './http.ts';
import { defined } from '../core/defined.ts';

export interface LogMessage {
  readonly tag: string;
  /** Time of the message as RFC 3339, in UTC. */
  readonly ts: string;
  readonly sev: string;
  readonly mod: string;
  readonly loc: string;
  readonly msg: string;
  readonly lab?: readonly string[] | null;
}

interface LogStreamOptions extends HttpOptions {
  readonly modelUuid: string;
  /** Query parameters as on the wire: includeEntity, level, replay, noTail, backlog, maxLines… */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Yields messages until the server has sent all that was requested, or until the signal aborts (no error then). Errors:
 * JujuError of the first frame; `try again` when no address answers.
 */
export async function* openLogStream(options: LogStreamOptions): AsyncGenerator<LogMessage, void, undefined> {
  const { signal } = options;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(options.query)) {
    for (const item of typeof value === 'string' ? [value] : value) query.append(key, item);
  }
  const secureContext = pinnedContext(options.caCert);
  const socket = await firstThatAnswers(options.addresses, signal, (address) =>
    openSocket(`wss://${address}/model/${options.modelUuid}/log?${query.toString()}`, {
      secureContext,
      headers: authHeaders(options.login),
      ...defined({ signal }),
    }),
  );

  const waiting: string[] = [];
  let isEnded = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isEnded = true;
    wake();
  };
  socket.on('message', (data: { toString(): string }) => {
    waiting.push(data.toString());
    // Backpressure: a slow reader pauses the socket, so that messages do not pile up in memory.
    if (waiting.length >= 1000) socket.pause();
    wake();
  });
  socket.on('close', end);
  socket.resume();
  signal?.addEventListener('abort', end, { once: true });
  try {
    let isFirst = true;
    for (;;) {
      for (let text = waiting.shift(); text !== undefined && !signal?.aborted; text = waiting.shift()) {
        if (socket.isPaused && waiting.length < 500) socket.resume();
        const frame = JSON.parse(text) as { error?: { message: string; code?: string } };
        if (!isFirst) yield frame as LogMessage;
        else if (frame.error) throw fromWireError({ code: '', ...frame.error });
        isFirst = false;
      }
      if (isEnded) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', end);
    socket.terminate();
  }
}
