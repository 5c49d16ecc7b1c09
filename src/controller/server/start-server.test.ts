import { connect as tcpConnect } from 'node:net';
import { connect as tlsConnect, type ConnectionOptions } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import {
  machineNonce,
  machineSecret,
  startApiServer,
  testModel,
  type ApiServer,
} from '../../testing/api-server.ts';
import type { FacadeSpec } from '../../wire/facade-spec.ts';
import type { FacadeTable, Watcher } from '../facade.ts';
import { defaultLimits } from './context.ts';

const spec = {
  name: 'SampleWatcher',
  versions: [1],
  on: 'model',
  methods: {
    Large: { params: z.object({ bytes: z.int() }), result: z.object({ text: z.string() }) },
    Watch: { params: z.object({}), result: z.object({ id: z.string() }) },
    Next: { params: z.object({}), result: z.object({}) },
    Who: { params: z.object({}), result: z.object({}) },
    Hold: { params: z.object({}), result: z.object({}) },
    IsHeld: { params: z.object({}), result: z.object({ held: z.boolean() }) },
  },
} as const satisfies FacadeSpec;

/** Watchers that wait until they are stopped. */
const stopped: string[] = [];
function endless(): Watcher {
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => undefined);
  return {
    next: () => end.promise,
    stop() {
      stopped.push('stopped');
      end.reject(new Error('stopped'));
    },
  };
}
const table: FacadeTable<typeof spec> = {
  Large: { needs: 'login', run: (_call, { bytes }) => ({ text: 'x'.repeat(bytes) }) },
  Watch: { needs: 'login', run: ({ connection }) => ({ id: connection.register(endless()) }) },
  Next: {
    needs: 'login',
    run: async ({ connection, id }) => (await connection.get(id).next()) as Record<string, never>,
  },
  Who: { needs: 'agent', run: () => ({}) },
  Hold: {
    needs: 'login',
    run({ connection: { applier } }) {
      applier.begin({ file: 'shop', user: 'reader', model: testModel, from: applier.from, since: '' });
      return {};
    },
  },
  IsHeld: {
    needs: 'login',
    run: ({ connection: { applier } }) => ({ held: applier.holderOf(testModel) !== undefined }),
  },
};
const facades = [{ spec, table }];
const path = `/model/${testModel}/api`;

let api: ApiServer;
afterEach(() => api.stop());

it('a client that does not read is disconnected', async () => {
  expect(defaultLimits.bufferedBytesMax).toBe(limits.unsentAnswers.max);
  api = await startApiServer({
    facades,
    limits: { bufferedBytesPause: 100_000, bufferedBytesMax: 2_000_000 },
  });
  const client = await api.open(path);
  await client.login('user-reader');
  client.socket.pause();
  for (let i = 0; i < 60; i++) void client.call('SampleWatcher', 1, 'Large', { bytes: 1_000_000 });
  await expect.poll(() => api.records.some(({ message }) => message.includes('does not read'))).toBe(true);
  client.socket.resume();
  expect(await client.closed).toBe(1006);
});

it('a client that reads late gets everything', async () => {
  api = await startApiServer({ facades, limits: { bufferedBytesPause: 100_000 } });
  const client = await api.open(path);
  await client.login('user-reader');
  client.socket.pause();
  const answers = Array.from({ length: 20 }, () =>
    client.call('SampleWatcher', 1, 'Large', { bytes: 1_000_000 }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  client.socket.resume();
  for (const answer of await Promise.all(answers)) expect(answer.error).toBeUndefined();
  expect((await client.call('SampleWatcher', 1, 'Large', { bytes: 1 })).response).toEqual({ text: 'x' });
});

it('watchers end with their connection', async () => {
  api = await startApiServer({ facades });
  const client = await api.open(path);
  await client.login('user-reader');
  await client.call('SampleWatcher', 1, 'Watch');
  void client.call('SampleWatcher', 1, 'Next', {}, '1');
  stopped.length = 0;
  client.socket.terminate();
  await expect.poll(() => stopped).toEqual(['stopped']);
});

it('a stop ends connections, their watchers first', async () => {
  const server = await startApiServer({ facades });
  api = server;
  const client = await server.open(path);
  await client.login('user-reader');
  await client.call('SampleWatcher', 1, 'Watch');
  void client.call('SampleWatcher', 1, 'Next', {}, '1');
  await server.server.stop();
  expect(await client.closed).toBe(1001);
  await expect(server.open(path)).rejects.toThrow();
  // A second stop is harmless: the test's own end repeats it.
});

it('silent agents and connections without a login are ended, silent users are not', async () => {
  const clock = manualClock();
  api = await startApiServer({ facades, clock });
  const [user, agent, stranger] = await Promise.all([api.open(path), api.open(path), api.open(path)]);
  await user.login('user-reader');
  await agent.login('machine-0', machineSecret, machineNonce);
  // A frozen agent answers no pings either.
  agent.socket.pause();
  clock.advance(200_000);
  await expect.poll(() => api.presence.isPresent(testModel, '0')).toBe(false);
  clock.advance(400_000);
  expect(await stranger.closed).toBe(1006);
  expect((await user.call('SampleWatcher', 1, 'Large', { bytes: 1 })).error).toBeUndefined();
});

it('a user who holds a model and is gone without a word is ended, and the model is free', async () => {
  const clock = manualClock();
  api = await startApiServer({ facades, clock });
  const [holder, other] = await Promise.all([api.open(path), api.open(path)]);
  await Promise.all([holder.login('user-reader'), other.login('user-reader')]);
  await holder.call('SampleWatcher', 1, 'Hold');
  const isHeld = async (): Promise<unknown> => (await other.call('SampleWatcher', 1, 'IsHeld')).response;
  for (let i = 0; i < 5; i++) {
    const pinged = new Promise((resolve) => holder.socket.once('ping', resolve));
    clock.advance(100_000);
    await pinged;
    await holder.call('SampleWatcher', 1, 'IsHeld');
  }
  expect(await isHeld()).toEqual({ held: true });
  holder.socket.pause();
  clock.advance(200_000);
  await expect.poll(isHeld).toEqual({ held: false });
});

it('an agent that answers pings stays connected', async () => {
  const clock = manualClock();
  api = await startApiServer({ facades, clock });
  const agent = await api.open(path);
  await agent.login('machine-0', machineSecret, machineNonce);
  for (let i = 0; i < 5; i++) {
    const pinged = new Promise((resolve) => agent.socket.once('ping', resolve));
    clock.advance(100_000);
    await pinged;
    // The answer to a later request proves that the pong has arrived.
    await agent.call('SampleWatcher', 1, 'Who');
  }
  expect(api.presence.isPresent(testModel, '0')).toBe(true);
});

it('input that is neither TLS nor HTTP does no harm', async () => {
  api = await startApiServer({ facades });
  const { port } = api.server;
  await new Promise<void>((resolve) =>
    tcpConnect(port, '127.0.0.1')
      .on('close', () => resolve())
      .on('error', () => undefined)
      .end('GET / HTTP/1.0\r\n\r\n'),
  );
  const answer = await new Promise<string>((resolve) => {
    const socket = tlsConnect({ port, host: '127.0.0.1', ca: api.caCert });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.write('nonsense\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect((await api.http('GET', '/health')).status).toBe(200);
});

it('TLS 1.3 is preferred; TLS 1.2 is served without CBC, and older TLS is refused', async () => {
  api = await startApiServer({ facades });
  const shake = (options: ConnectionOptions): Promise<string> =>
    new Promise((resolve) => {
      const socket = tlsConnect(
        { port: api.server.port, host: '127.0.0.1', ca: api.caCert, ...options },
        () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        },
      );
      socket.on('error', () => resolve('refused'));
    });
  const old = { ciphers: 'DEFAULT:@SECLEVEL=0', minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const;
  expect(await shake({})).toBe('TLSv1.3 TLS_AES_256_GCM_SHA384');
  const only12 = { maxVersion: 'TLSv1.2' } as const;
  for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-ECDSA-AES256-SHA384'])
    expect(await shake({ ...only12, ciphers }), ciphers).toBe('refused');
  expect(await shake(only12)).toBe('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384');
  expect(await shake(old)).toBe('refused');
});

/** A clock whose time passes only on request. */
function manualClock(): Clock & { advance(ms: number): void } {
  let now = Date.now();
  const sleepers = new Set<{ time: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { time: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      }),
    advance(ms) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.time > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
