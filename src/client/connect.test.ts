import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { limits } from '../core/limits.ts';
import type { Clock } from '../kit/clock.ts';
import { makeTestCa, type TestCa } from '../testing/test-ca.ts';
import { connect } from './connect.ts';
import type { ConnectOptions } from './connection.ts';
import { openLogStream } from './log-stream.ts';

interface Frame {
  'request-id': number;
  type: string;
  version: number;
  id: string;
  request: string;
  params: Record<string, unknown>;
}

const facades = [
  { name: 'Client', versions: [6, 7, 8, 99] },
  { name: 'Novel', versions: [3, 4] },
];
const loginAnswer = {
  'controller-tag': 'controller-c',
  'model-tag': 'model-m',
  'server-version': '3.6.28',
  servers: [
    [
      { value: '10.0.0.5', port: 17070 },
      { value: 'fd00::1', port: 17070 },
    ],
  ],
  'user-info': { identity: 'user-admin', 'controller-access': 'superuser', 'model-access': 'admin' },
  facades,
};

let ca: TestCa;
let server: Server;
let sockets: WebSocketServer;
let frames: { path: string; frame: Frame }[] = [];
let headers: Record<string, unknown> = {};
/** Answer to each frame other than the login; undefined means that the server stays silent. */
let answer: (frame: Frame, socket: WebSocket) => object | undefined = () => ({ response: {} });
let onLog: (socket: WebSocket) => void = () => undefined;

beforeAll(async () => {
  ca = await makeTestCa();
  server = createServer(ca.server);
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    headers = request.headers;
    if (request.url?.includes('/log')) return onLog(socket);
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      frames.push({ path: request.url ?? '', frame });
      const reply =
        frame.request !== 'Login'
          ? answer(frame, socket)
          : frame.params['credentials'] === 'pw'
            ? { response: loginAnswer }
            : { error: 'invalid entity name or password', 'error-code': 'unauthorized access', response: {} };
      if (reply) socket.send(JSON.stringify({ 'request-id': frame['request-id'], ...reply }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  for (const socket of sockets.clients) socket.terminate();
  server.close();
});
afterEach(() => {
  frames = [];
  answer = () => ({ response: {} });
});

const address = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const options = (overrides: Partial<ConnectOptions> = {}): ConnectOptions => ({
  addresses: [address()],
  caCert: ca.caCert,
  login: { tag: 'user-admin', password: 'pw' },
  ...overrides,
});

describe('connect', () => {
  test("connect logs in as Juju clients do, and reads the login's result", async () => {
    const connection = await connect(
      options({ modelUuid: 'm', login: { tag: 'machine-3', password: 'pw', nonce: 'n' } }),
    );
    expect(frames[0]).toMatchObject({
      path: '/model/m/api',
      frame: {
        'request-id': 1,
        type: 'Admin',
        version: 3,
        request: 'Login',
        params: { 'auth-tag': 'machine-3', credentials: 'pw', nonce: 'n', 'client-version': '3.6.28' },
      },
    });
    expect(connection.login).toEqual({
      controllerTag: 'controller-c',
      modelTag: 'model-m',
      serverVersion: '3.6.28',
      servers: ['10.0.0.5:17070', '[fd00::1]:17070'],
      user: { identity: 'user-admin', controllerAccess: 'superuser', modelAccess: 'admin' },
      facades: new Map(facades.map((f) => [f.name, f.versions])),
    });
    await connection.close();
  });

  test.each([
    { facade: 'Client', given: undefined, sent: 8, why: 'the highest that both know' },
    {
      facade: 'Novel',
      given: undefined,
      sent: 4,
      why: 'the highest announced of a facade we have no table for',
    },
    { facade: 'Absent', given: undefined, sent: 0, why: 'zero when the server has none' },
    { facade: 'Client', given: 6, sent: 6, why: 'the version given by the caller' },
  ])('a call of the facade $facade uses as its version $why', async ({ facade, given, sent }) => {
    const connection = await connect(options());
    await connection.call(facade, 'X', { a: 1 }, given === undefined ? {} : { version: given });
    expect(frames[1]).toMatchObject({
      path: '/api',
      frame: { type: facade, version: sent, params: { a: 1 } },
    });
    await connection.close();
  });

  test('an error frame becomes a JujuError with code and info', async () => {
    answer = () => ({ error: 'gone', 'error-code': 'not found', 'error-info': { x: 1 }, response: {} });
    const connection = await connect(options());
    await expect(connection.call('Client', 'X')).rejects.toMatchObject({
      name: 'JujuError',
      message: 'gone',
      code: 'not found',
      info: { x: 1 },
    });
    await connection.close();
  });

  test('answers that come in another order than their calls reach the right ones', async () => {
    let releaseAnswer: (() => void) | undefined;
    answer = (frame, socket) => {
      if (frame.request === 'Slow') {
        releaseAnswer = () =>
          socket.send(JSON.stringify({ 'request-id': frame['request-id'], response: { slow: true } }));
        return undefined;
      }
      return { response: { fast: true } };
    };
    const connection = await connect(options());
    const slow = connection.call('Client', 'Slow');
    expect(await connection.call('Client', 'Fast')).toEqual({ fast: true });
    releaseAnswer?.();
    expect(await slow).toEqual({ slow: true });
    await connection.close();
  });

  test('an answer of 16 MB is accepted', async () => {
    answer = () => ({ response: { text: 'x'.repeat(16_000_000) } });
    const connection = await connect(options());
    const { text } = await connection.call<{ text: string }>('Client', 'FullStatus');
    expect(text).toHaveLength(16_000_000);
    await connection.close();
  });

  test('an answer above the limit that the caller set ends the connection', async () => {
    answer = () => ({ response: { text: 'x'.repeat(limits.peerAnswer.max) } });
    const connection = await connect(options({ answerMax: limits.peerAnswer.max }));
    await expect(connection.call('Client', 'FullStatus')).rejects.toMatchObject({ code: 'try again' });
    expect((await connection.closed).message).toContain('Max payload size exceeded');
  });

  test('connect tries the next address when one does not answer', async () => {
    const connection = await connect(options({ addresses: ['127.0.0.1:1', address()] }));
    await connection.close();
  });

  test('connect names all addresses when none answers', async () => {
    await expect(connect(options({ addresses: ['127.0.0.1:1'] }))).rejects.toMatchObject({
      code: 'try again',
    });
  });

  test('connect fails at once when the password is refused', async () => {
    const refused = connect(
      options({ login: { tag: 'user-admin', password: 'no' }, addresses: [address(), address()] }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized access' });
    expect(frames).toHaveLength(1);
  });

  test('connect refuses a server with another CA', async () => {
    const { caCert } = await makeTestCa();
    await expect(connect(options({ caCert }))).rejects.toMatchObject({ code: 'try again' });
    expect(frames).toEqual([]);
  });

  test('connect refuses a certificate with another name', async () => {
    const otherCa = await makeTestCa('elsewhere');
    const impostor = createServer(otherCa.server);
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    const { port } = impostor.address() as AddressInfo;
    const attempt = connect(options({ caCert: otherCa.caCert, addresses: [`127.0.0.1:${port}`] }));
    await expect(attempt).rejects.toThrow(/juju-apiserver/);
    impostor.close();
  });

  test('pending calls are rejected with `try again` when the connection is lost', async () => {
    answer = (_frame, socket) => {
      socket.terminate();
      return undefined;
    };
    const connection = await connect(options());
    await expect(connection.call('Client', 'X')).rejects.toMatchObject({ code: 'try again' });
    expect(await connection.closed).toBeInstanceOf(Error);
    await expect(connection.call('Client', 'X')).rejects.toMatchObject({ code: 'try again' });
  });

  test('an aborted call is rejected, and the connection stays open', async () => {
    answer = (frame) => (frame.request === 'Never' ? undefined : { response: { ok: 1 } });
    const connection = await connect(options());
    const abort = new AbortController();
    const unanswered = connection.call('Client', 'Never', {}, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(unanswered).rejects.toThrow('enough');
    expect(await connection.call('Client', 'X')).toEqual({ ok: 1 });
    await connection.close();
  });

  test('connect rejects when its signal aborts', async () => {
    await expect(connect(options({ signal: AbortSignal.abort(new Error('enough')) }))).rejects.toThrow(
      'enough',
    );
  });

  test('a silent peer is declared dead 30 s after a ping', async () => {
    answer = () => undefined;
    const clock = instantClock();
    const connection = await connect(options({ clock }));
    const call = connection.call('Client', 'X').catch((error: Error) => error);
    expect((await connection.closed).message).toMatch(/no answer to a ping for 30 s/);
    expect(await call).toMatchObject({ code: 'try again' });
    expect(clock.slept).toEqual([30_000, 30_000]);
  });
});

describe('openLogStream', () => {
  test('openLogStream yields the messages after the opening line, and ends with the socket', async () => {
    onLog = (socket) => {
      socket.send('{}\n');
      socket.send('{"tag":"unit-a-0","msg":"one"}');
      socket.send('{"tag":"unit-a-0","msg":"two"}');
      socket.close();
    };
    const lines: string[] = [];
    for await (const line of openLogStream({ ...options(), modelUuid: 'm', query: { replay: 'true' } })) {
      lines.push(line.msg);
    }
    expect(lines).toEqual(['one', 'two']);
    expect(headers['authorization']).toBe(`Basic ${Buffer.from('user-admin:pw').toString('base64')}`);
  });

  test('openLogStream throws the error of the opening line', async () => {
    onLog = (socket) =>
      socket.send('{"error":{"message":"permission denied","code":"unauthorized access"}}\n');
    const stream = openLogStream({ ...options(), modelUuid: 'm', query: {} });
    await expect(stream.next()).rejects.toMatchObject({ code: 'unauthorized access' });
  });

  test('openLogStream ends without an error when its signal aborts', async () => {
    onLog = (socket) => {
      socket.send('{}\n');
      socket.send('{"msg":"one"}');
    };
    const abort = new AbortController();
    const stream = openLogStream({ ...options(), modelUuid: 'm', query: {}, signal: abort.signal });
    expect((await stream.next()).value).toMatchObject({ msg: 'one' });
    const nextMessage = stream.next();
    abort.abort();
    expect(await nextMessage).toMatchObject({ done: true });
  });
});

/** Clock whose sleeps return at once. */
function instantClock(): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => 0,
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      // The login's timeout never fires: the server answers before it.
      if (ms === 20_000) return new Promise(() => undefined);
      slept.push(ms);
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}
