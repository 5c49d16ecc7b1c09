/** Server side of the debug-log socket (wire.md#debug-log). */
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { durationSetting } from '../../core/controller/config.ts';
import { JujuError } from '../../core/errors.ts';
import type { LogLine } from '../../store/logs.ts';
import { wireError } from '../../wire/errors.ts';
import { onAccessLost } from './access-loss.ts';
import type { ServerContext } from './context.ts';
import { drained } from './drained.ts';
import { authorizeRequest } from './http-auth.ts';
import { parseLogQuery, type LogQuery } from './log-query.ts';
import type { SocketPath } from './routes.ts';

/** Maximum of unsent bytes: a reader that is slower than the log loses its connection. */
const backlogBytesMax = 16 * 1024 * 1024;
const pingIntervalMs = 60_000;

/**
 * Serves a debug-log socket: sends `{}`, or an error and closes; then the lines asked for, then (without noTail) each
 * new line.
 */
export async function serveDebugLog(
  context: ServerContext,
  socket: WebSocket,
  request: IncomingMessage,
  { modelUuid, query }: SocketPath,
): Promise<void> {
  // An error of a socket also closes it.
  socket.on('error', (error) =>
    context.services.log.debug('debug-log connection failed', { error: error.message }),
  );
  try {
    // Logs hold what workloads print: reading them needs access to the model.
    const caller = await authorizeRequest(context, request, { modelUuid, needs: 'model-read' });
    const model =
      modelUuid === '' ? (context.store.read().in('').get('controller', 'self')?.modelUuid ?? '') : modelUuid;
    const parsed = parseLogQuery(query);
    socket.send('{}\n');
    const close = (): void => socket.close(1008, 'access was revoked');
    const end = caller.kind === 'user' ? onAccessLost(context, { ...caller, model }, close) : undefined;
    socket.on('close', () => end?.());
    await stream(context, socket, model, parsed);
  } catch (error) {
    if (!(error instanceof JujuError)) context.services.log.error('debug-log failed', { error });
    const known = error instanceof JujuError ? error : new JujuError('', 'internal error');
    if (socket.readyState === socket.OPEN) socket.send(`${JSON.stringify({ error: wireError(known) })}\n`);
  }
  socket.close();
}

async function stream(
  context: ServerContext,
  socket: WebSocket,
  model: string,
  query: LogQuery,
): Promise<void> {
  const { logs, clock } = context.services;
  const config = context.store.read().in('').get('controller', 'self')?.config ?? {};
  const until = clock.now() + durationSetting(config, 'max-debug-log-duration');
  const ended = new AbortController();
  socket.on('close', () => ended.abort(new Error('the reader disconnected')));
  // New lines wait until the old ones are sent, so that none is missed or sent twice.
  let waiting: LogLine[] | undefined = [];
  const send = (line: LogLine): void => socket.send(JSON.stringify({ ...line, lab: null }));
  const follow = query.tail
    ? logs.follow(model, (line) => {
        if (!query.matches(line)) return;
        if (waiting) return void waiting.push(line);
        if (socket.bufferedAmount > backlogBytesMax) socket.terminate();
        else send(line);
      })
    : undefined;
  try {
    let newest = await sendPast(context, socket, model, query, send);
    // A line that was stored in the meantime is among both the old and the new lines.
    for (const line of waiting) {
      if (newest.has(JSON.stringify(line))) continue;
      send(line);
    }
    newest = new Set();
    waiting = undefined;
    for (;;) {
      const leftMs = until - clock.now();
      if (!query.tail || ended.signal.aborted || leftMs <= 0) break;
      await clock.sleep(Math.min(pingIntervalMs, leftMs), ended.signal).catch(() => undefined);
      if (!ended.signal.aborted) socket.ping();
    }
  } finally {
    follow?.();
  }
}

/** Number of lines last sent that are compared with those that came in the meantime. */
const overlap = 1000;

/** Sends the stored lines that were asked for; returns the last of them. */
async function sendPast(
  { services: { logs } }: ServerContext,
  socket: WebSocket,
  model: string,
  query: LogQuery,
  send: (line: LogLine) => void,
): Promise<Set<string>> {
  const sent: string[] = [];
  const note = async (line: LogLine): Promise<void> => {
    send(line);
    sent.push(JSON.stringify(line));
    if (sent.length > 2 * overlap) sent.splice(0, overlap);
    if (socket.bufferedAmount > backlogBytesMax / 16) await drained(socket);
  };
  if (query.fromStart) {
    let remaining = query.lines;
    for await (const line of logs.replay(model)) {
      if (remaining <= 0 || socket.readyState !== socket.OPEN) break;
      if (!query.matches(line)) continue;
      remaining--;
      await note(line);
    }
  } else if (query.lines > 0) {
    for (const line of await logs.last(model, query.lines, query.matches)) await note(line);
  }
  return new Set(sent.slice(-overlap));
}
