import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { systemClock } from '../../kit/clock.ts';
import {
  controllerModel,
  password,
  startApiServer,
  testModel,
  type ApiClient,
  type ApiServer,
} from '../../testing/api-server.ts';
import { eventually } from '../../testing/eventually.ts';
import type { CommandRunner, UserCommand } from './command-runner.ts';

type How = Parameters<CommandRunner['run']>[1];

let api: ApiServer;
/** Commands as they were handed to the runner. */
let ran: UserCommand[];
/** Behaviour of the runner for the next command. */
let act: (command: UserCommand, how: How) => Promise<number>;
/** Ends the time of the running command. */
let endTime: () => void;

/** Number of idle sockets, in place of limits.idleCommandSockets. */
const idleMax = 6;
const commandMs = limits.commandTime.max * 1000;

beforeEach(async () => {
  ran = [];
  act = async ({ line }, { onOutput }) => {
    await onOutput(`ran ${line}\n`);
    return 0;
  };
  api = await startApiServer({
    limits: { idleCommandSockets: idleMax },
    clock: {
      now: () => systemClock.now(),
      sleep: (ms, signal) =>
        ms === commandMs
          ? new Promise<void>((resolve, reject) => {
              endTime = resolve;
              signal?.addEventListener('abort', () => reject(signal.reason as Error));
            })
          : systemClock.sleep(ms, signal),
    },
    commands: {
      run: (command, how) => {
        ran.push(command);
        return act(command, how);
      },
    },
  });
});
afterEach(() => api.stop());

const path = `/model/${testModel}/commands`;
async function open(at = path): Promise<ApiClient> {
  const client = await api.open(at);
  expect(await client.next()).toBe('{}\n');
  return client;
}
const ask = (client: ApiClient, commands: unknown, more: object = {}): void =>
  client.send(JSON.stringify({ user: 'reader', credentials: password, macaroons: null, commands, ...more }));

/** Frames up to the end of a request. */
async function answer(client: ApiClient): Promise<unknown[]> {
  const frames: Record<string, unknown>[] = [];
  do frames.push(JSON.parse(await client.next()) as Record<string, unknown>);
  while (!frames.at(-1)!['done']);
  return frames;
}
/** Runs until the signal aborts. */
const untilAborted = (_: UserCommand, { signal }: How): Promise<number> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
const denied = { message: 'invalid entity name or password', code: 'unauthorized access' };

describe('a request', () => {
  test('commands of a request run one after the other, as its user, in the model of the path', async () => {
    const client = await open();
    ask(client, ['status --color', 'whoami']);
    expect(await answer(client)).toEqual([
      { output: ['ran status --color'] },
      { output: ['ran whoami'] },
      { done: true },
    ]);
    expect(ran[0]).toEqual({
      line: 'status --color',
      user: 'reader',
      password,
      macaroons: [],
      model: { uuid: testModel, name: 'admin/test' },
      cloud: { name: 'simulated', type: 'simulated', region: '' },
    });
    ask(client, ['help']);
    expect(await answer(client)).toHaveLength(2);
  });

  test('a path without a model is that of the controller', async () => {
    const client = await open('/commands');
    ask(client, ['status'], { user: 'admin' });
    await answer(client);
    expect(ran.map(({ model }) => model)).toEqual([{ uuid: controllerModel, name: 'admin/controller' }]);
  });

  test('output is sent by lines, however the command wrote it', async () => {
    act = async (_, { onOutput }) => {
      for (const text of ['on', 'e\ntwo\n', '\n', 'three']) await onOutput(text);
      return 0;
    };
    const client = await open();
    ask(client, ['x']);
    expect(await answer(client)).toEqual([
      { output: ['one'] },
      { output: ['two'] },
      { output: [''] },
      { output: ['three'] },
      { done: true },
    ]);
  });

  test('a command that fails ends its request, without its arguments', async () => {
    act = () => Promise.resolve(1);
    const client = await open();
    ask(client, ['config db password=hunter2', 'status']);
    expect(await answer(client)).toEqual([
      { done: true, error: { message: 'command "config": exit code 1', code: '' } },
    ]);
    expect(ran).toHaveLength(1);
    expect(JSON.stringify(api.records)).not.toContain('hunter2');
    expect(JSON.stringify(api.records)).toContain('config');
  });

  test('a runner that breaks is an error of the controller, told without details', async () => {
    act = () => Promise.reject(new Error('spawn ENOMEM /root/secret'));
    const client = await open();
    ask(client, ['status']);
    expect(await answer(client)).toEqual([
      { output: ['ERROR internal error'] },
      { done: true, error: { message: 'internal error', code: '' } },
    ]);
  });
});

describe('a refused login', () => {
  test.each([
    ['a wrong password', { credentials: 'wrong' }, denied],
    ['an unknown user', { user: 'nobody' }, denied],
    ['a disabled user', { user: 'disabled' }, denied],
    ['a name that is none', { user: 'machine 0\n' }, denied],
    ['a user without access to the model', { user: 'stranger' }, { message: 'permission denied' }],
    ['no user', { user: '' }, denied],
    ['another type', { user: 1 }, { message: expect.stringContaining('cannot unmarshal') as string }],
  ])('%s runs nothing', async (_, more, error) => {
    const client = await open();
    ask(client, ['status'], more);
    expect((await answer(client)).at(-1)).toMatchObject({ done: true, error });
    expect(ran).toEqual([]);
  });

  test('a request that is not JSON is refused, and the next request served', async () => {
    const client = await open();
    client.send('status');
    expect((await answer(client)).at(-1)).toMatchObject({ error: { code: 'bad request' } });
    ask(client, ['status']);
    expect((await answer(client)).at(-1)).toEqual({ done: true });
  });

  test('an unknown model is refused like one that is not the user’s', async () => {
    const client = await open('/model/00000000-0000-4000-8000-000000000000/commands');
    ask(client, ['status']);
    expect((await answer(client)).at(-1)).toMatchObject({ error: { message: 'permission denied' } });
  });

  test('a user whose access is revoked loses the command that runs', async () => {
    let aborted = false;
    act = (command, how) => untilAborted(command, how).finally(() => (aborted = true));
    const client = await open();
    ask(client, ['status --watch 1s']);
    await eventually(() => expect(ran).toHaveLength(1));
    await api.store.change((tx) => tx.remove('access', `reader ${testModel}`), 'test');
    expect(await client.closed).toBe(1008);
    await eventually(() => expect(aborted).toBe(true));
  });
});

describe('limits', () => {
  test('a client that goes away ends its command', async () => {
    let aborted = false;
    act = (command, how) => untilAborted(command, how).finally(() => (aborted = true));
    const client = await open();
    ask(client, ['status --watch 1s']);
    await eventually(() => expect(ran).toHaveLength(1));
    client.socket.terminate();
    await eventually(() => expect(aborted).toBe(true));
  });

  test('a command that runs longer than limits.commandTime is ended', async () => {
    act = untilAborted;
    const client = await open();
    ask(client, ['status --watch 1s']);
    await eventually(() => expect(ran).toHaveLength(1));
    endTime();
    expect((await answer(client)).at(-1)).toMatchObject({
      error: {
        code: 'deadline exceeded',
        message: `the command was ended after ${limits.commandTime.max} seconds`,
      },
    });
  });

  test('output beyond its limit ends the command (limits.commandOutput)', async () => {
    act = async (_, { onOutput }) => {
      await onOutput('x'.repeat(limits.commandOutput.max));
      await onOutput('y');
      return 0;
    };
    const client = await open();
    ask(client, ['status']);
    expect((await answer(client)).at(-1)).toMatchObject({ error: { code: 'quota limit exceeded' } });
  });

  test('very many lines are sent in turns, and none is lost', async () => {
    act = async (_, { onOutput }) => {
      await onOutput(`${'\n'.repeat(5000)}a`);
      await onOutput('b');
      return 0;
    };
    const client = await open();
    ask(client, ['status']);
    const frames = await answer(client);
    expect(frames).toHaveLength(5002);
    expect(frames.slice(-2)).toEqual([{ output: ['ab'] }, { done: true }]);
  });

  test('a request that is too long, or has too many commands, is refused', async () => {
    const client = await open();
    ask(client, ['x'.repeat(limits.commandRequest.max)]);
    expect((await answer(client)).at(-1)).toMatchObject({ error: { code: 'quota limit exceeded' } });
    ask(
      client,
      Array.from({ length: limits.commandsOfRequest.max + 1 }, () => 'status'),
    );
    expect((await answer(client)).at(-1)).toMatchObject({ error: { code: 'quota limit exceeded' } });
    expect(ran).toEqual([]);
  });

  test('a connection with too many waiting requests is ended (limits.commandRequests)', async () => {
    act = untilAborted;
    const client = await open();
    for (let n = 0; n <= limits.commandRequests.max; n++) ask(client, ['status']);
    expect(await client.closed).toBe(1008);
    expect(ran.length).toBeLessThanOrEqual(1);
  });

  test('a user’s commands wait for each other, but not those of others (limits.commandsOfUser)', async () => {
    act = untilAborted;
    const clients = await Promise.all(Array.from({ length: limits.commandsOfUser.max + 1 }, () => open()));
    for (const client of clients) ask(client, ['status']);
    await eventually(() => expect(ran).toHaveLength(limits.commandsOfUser.max));
    const other = await open();
    ask(other, ['status'], { user: 'writer' });
    await eventually(() => expect(ran.at(-1)!.user).toBe('writer'));
    expect(ran).toHaveLength(limits.commandsOfUser.max + 1);
  });

  test('an address may have few idle connections; a command makes one count no more (limits.idleCommandSockets)', async () => {
    const clients: ApiClient[] = [];
    for (let n = 0; n < idleMax; n++) clients.push(await open());
    const refused = await api.open(path);
    expect(await refused.closed).toBe(1013);
    ask(clients[0]!, ['status']);
    await answer(clients[0]!);
    clients[1]!.socket.terminate();
    await eventually(async () => {
      const again = await api.open(path);
      expect(await again.next()).toBe('{}\n');
    });
  });
});

test('a controller that stops ends commands', async () => {
  let aborted = false;
  act = (command, how) => untilAborted(command, how).finally(() => (aborted = true));
  const client = await open();
  ask(client, ['status --watch 1s']);
  await eventually(() => expect(ran).toHaveLength(1));
  await api.server.stop();
  expect(aborted).toBe(true);
  api = await startApiServer();
});
