/**
 * Thread of bench/turns.ts that sends the calls: its handling of requests and answers must not count as the
 * controller's time.
 */
import { parentPort } from 'node:worker_threads';
import { connect } from '../src/client/connect.ts';
import type { Connection, ConnectOptions } from '../src/client/connection.ts';
import { defined } from '../src/core/defined.ts';

export interface Request {
  readonly facade: string;
  readonly method: string;
  readonly version: number;
  readonly args: unknown;
}

export type Order =
  | { readonly kind: 'connect'; readonly as: Readonly<Record<string, ConnectOptions>> }
  | {
      readonly kind: 'prepare';
      readonly as: string;
      readonly call: Request;
      /** Request that creates the watcher to call. */
      readonly watch: Request | undefined;
    }
  | { readonly kind: 'send' };

/** Answer to `send`. */
export interface Answer {
  /** Size of the answer as JSON. */
  readonly bytes: number;
  /** First error in the answer. */
  readonly error: string;
}

let open: Record<string, Connection> = {};
let send = (): Promise<unknown> => Promise.resolve({});

parentPort!.on('message', (order: Order) => {
  void obey(order).then(
    (answer) => parentPort!.postMessage(answer),
    (error: unknown) => parentPort!.postMessage({ bytes: 0, error: String(error) } satisfies Answer),
  );
});

async function obey(order: Order): Promise<Answer> {
  switch (order.kind) {
    case 'connect':
      open = {};
      for (const [role, options] of Object.entries(order.as)) open[role] = await connect(options);
      return { bytes: 0, error: '' };
    case 'prepare': {
      const { facade, method, version, args } = order.call;
      const connection = open[order.as]!;
      const watcher = order.watch && idIn(await call(connection, order.watch));
      send = () =>
        connection.call(facade, method, args, { version, ...defined({ id: watcher || undefined }) });
      return { bytes: 0, error: '' };
    }
    case 'send': {
      const text = JSON.stringify(await send());
      const [, error = ''] = /"error":\{"message":"([^"]{0,100})/.exec(text) ?? [];
      return { bytes: text.length, error };
    }
  }
}

function call(connection: Connection, { facade, method, version, args }: Request): Promise<unknown> {
  return connection.call(facade, method, args, { version });
}

function idIn(answer: unknown): string {
  const [, id] = /watcher-id":"(\d+)"/.exec(JSON.stringify(answer)) ?? [];
  if (id === undefined) throw new Error(`no watcher in ${JSON.stringify(answer).slice(0, 200)}`);
  return id;
}
