/** CLI of a controller with canned answers, for commands that reach machines. */
import type { Connection } from '../client/connection.ts';
import type { CliIo } from '../cli/io.ts';
import { testCli, type TestCli } from './cli.ts';

/** Answers by `Facade.Method`. */
export type Calls = Record<string, (params: never) => unknown>;

/** Returns a CLI that knows the controller `ctrl` of the cloud `local`, and its model `admin/shop`. */
export async function cannedCli(): Promise<TestCli> {
  const cli = testCli();
  await cli.store.addController(
    'ctrl',
    { uuid: 'c', 'api-endpoints': ['127.0.0.1:1'], 'ca-cert': '', cloud: 'local', type: 'local' },
    { user: 'admin', password: 'pw' },
  );
  await cli.store.addModel('ctrl', 'admin/shop', { uuid: 'm', type: 'iaas' });
  await cli.store.setCurrentModel('ctrl', 'admin/shop');
  await cli.store.setCurrentController('ctrl');
  return cli;
}

/** Returns a controller that answers `Facade.Method` from the table, and nothing else. */
export function answering(calls: Calls, terminal: (readonly string[])[] = []): Omit<Partial<CliIo>, 'env'> {
  const connection: Connection = {
    call: (facade, method, params, { signal } = {}) => {
      const answer = calls[`${facade}.${method}`];
      if (!answer) return Promise.reject(new Error(`no answer to ${facade}.${method}`));
      const ended = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => ended.reject(signal.reason as Error));
      return Promise.race([Promise.resolve(answer(params as never) as never), ended.promise]);
    },
    login: {
      controllerTag: 'controller-c',
      modelTag: 'model-m',
      serverVersion: '3.6.28',
      servers: [],
      facades: new Map(),
    },
    closed: new Promise(() => undefined),
    close: () => Promise.resolve(),
  };
  return {
    connect: () => Promise.resolve(connection),
    runOnTerminal: (argv) => (terminal.push(argv), Promise.resolve(7)),
  };
}
