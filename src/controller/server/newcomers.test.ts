/**
 * Tests of connections without a login, with real sockets; other addresses of the loopback network stand for other
 * hosts.
 */
import { connect as tcpConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { WebSocket } from 'ws';
import { limits } from '../../core/limits.ts';
import { password, startApiServer, testModel, type ApiServer } from '../../testing/api-server.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { defaultLimits } from './context.ts';

let api: ApiServer;
let sockets: { destroy(): unknown }[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api.stop();
});

/**
 * Opens a connection, and finishes the handshake unless it is refused; `closed` resolves when the controller ends it.
 */
async function open(from: string): Promise<{ refused: boolean; closed: Promise<void>; socket: Socket }> {
  const tcp = tcpConnect({ port: api.server.port, host: '127.0.0.1', localAddress: from });
  tcp.on('error', () => undefined);
  const socket = tlsConnect({ socket: tcp, host: '127.0.0.1', ca: api.caCert });
  sockets.push(socket);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const refused = await Promise.race([
    closed.then(() => true),
    new Promise<boolean>((resolve) => socket.once('secureConnect', () => resolve(false))),
  ]);
  return { refused, closed, socket };
}

async function openSocket(from: string, path = `/model/${testModel}/api`): Promise<WebSocket> {
  const socket = new WebSocket(`wss://127.0.0.1:${api.server.port}${path}`, {
    ca: api.caCert,
    localAddress: from,
  });
  sockets.push({ destroy: () => socket.terminate() });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('close', () => reject(new Error('refused')));
  });
  return socket;
}

const loginFrame = (tag: string, credentials: string): string =>
  JSON.stringify({
    'request-id': 1,
    type: 'Admin',
    version: 3,
    request: 'Login',
    params: { 'auth-tag': tag, credentials },
  });

async function logIn(socket: WebSocket, tag: string, credentials: string): Promise<string> {
  const answer = new Promise<string>((resolve) =>
    socket.once('message', (data: Buffer) =>
      resolve((JSON.parse(data.toString()) as { error?: string }).error ?? 'logged in'),
    ),
  );
  socket.send(loginFrame(tag, credentials));
  return answer;
}

test('an admin from a new address logs in while 150 connections guess the password', async () => {
  api = await startApiServer();
  const attackers = await Promise.all(
    Array.from({ length: 150 }, (_, i) => openSocket(`127.0.0.${2 + (i % 5)}`)),
  );
  const admin = await openSocket('127.0.0.1');
  const refusals = attackers.map(async (socket) => {
    const answer = await logIn(socket, 'user-admin', 'guess');
    if (!answer.startsWith('too many logins')) throw new Error(answer);
  });
  // The queue is full.
  await Promise.any(refusals);
  expect(await logIn(admin, 'user-admin', password)).toBe('logged in');
  expect((await api.http('GET', '/health')).status).toBe(200);
  const lines = api.records.filter(({ message }) => message.includes('authn_login_fail'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines[0]!.message).toMatch(/"remote":"127\.0\.0\.[2-6]"/);
  expect(JSON.stringify(lines)).not.toContain('guess');
}, 60_000);

test('an address has a maximum number of connections without a login; others are not affected', async () => {
  api = await startApiServer({ limits: { newcomersOfAddress: 3 } });
  const first = await Promise.all([open('127.0.0.2'), open('127.0.0.2'), open('127.0.0.2')]);
  expect(first.map(({ refused }) => refused)).toEqual([false, false, false]);
  expect((await open('127.0.0.2')).refused).toBe(true);
  expect((await open('127.0.0.3')).refused).toBe(false);
  first[0]!.socket.destroy();
  await first[0]!.closed;
  await expect.poll(async () => (await open('127.0.0.2')).refused).toBe(false);
});

test.each([`/model/${testModel}/api`, '/api'])(
  'a connection to %s that sends more than it may before a login is not read on, and ends',
  async (path) => {
    api = await startApiServer();
    const { max } = limits.newcomerBytes;
    const socket = await openSocket('127.0.0.2', path);
    const closed = new Promise<string>((resolve) =>
      socket.once('close', (code, reason) => resolve(`${code} ${reason.toString()}`)),
    );
    socket.send(loginFrame('user-admin', 'x'.repeat(max)));
    expect(await closed).toBe(`1009 more than ${max} bytes before a login`);
  },
);

test('connections with a login are not counted', async () => {
  api = await startApiServer({ limits: { newcomersOfAddress: 1 } });
  for (let i = 0; i < 3; i++) {
    expect(await logIn(await openSocket('127.0.0.2'), 'user-admin', password)).toBe('logged in');
  }
  expect((await open('127.0.0.2')).refused).toBe(false);
  expect((await open('127.0.0.2')).refused).toBe(true);
});

test('all connections together have a maximum number, with or without a login', async () => {
  api = await startApiServer({ limits: { connections: 3 } });
  for (let i = 0; i < 2; i++)
    expect(await logIn(await openSocket('127.0.0.2'), 'user-admin', password)).toBe('logged in');
  const third = await open('127.0.0.3');
  expect(third.refused).toBe(false);
  expect((await open('127.0.0.4')).refused).toBe(true);
  third.socket.destroy();
  await third.closed;
  await expect.poll(async () => (await open('127.0.0.4')).refused).toBe(false);
});

test('each address keeps a few connections when the maximum of newcomers is reached', async () => {
  api = await startApiServer({ limits: { newcomers: 3, newcomersOfAddressWhenFull: 1 } });
  for (let i = 0; i < 3; i++) expect((await open('127.0.0.2')).refused).toBe(false);
  expect((await open('127.0.0.2')).refused).toBe(true);
  expect((await open('127.0.0.3')).refused).toBe(false);
  expect((await open('127.0.0.3')).refused).toBe(true);
});

test('a connection without a login is ended in time, whatever was opened on it; one with a login is not', async () => {
  const clock = new ManualClock();
  api = await startApiServer({ clock });
  const silent = await open('127.0.0.2');
  const nobody = await openSocket('127.0.0.2');
  const nobodyClosed = new Promise((resolve) => nobody.once('close', resolve));
  const user = await openSocket('127.0.0.2');
  expect(await logIn(user, 'user-admin', password)).toBe('logged in');
  clock.advance(limits.loginTime.max * 1000);
  await Promise.all([silent.closed, nobodyClosed]);
  expect(user.readyState).toBe(WebSocket.OPEN);
});

test('a connection that was told to show a password has more time than others, once', async () => {
  const clock = new ManualClock();
  api = await startApiServer({ clock });
  const typing = await openSocket('127.0.0.2');
  let isClosed = false;
  const closed = new Promise<void>((resolve) => typing.once('close', () => resolve(void (isClosed = true))));
  for (let i = 0; i < 2; i++) expect(await logIn(typing, 'user-admin', '')).toBe('logged in');
  const turn = async (): Promise<void> => {
    const silent = await open('127.0.0.2');
    clock.advance(limits.loginTime.max * 1000);
    // The silent connection was opened last, so it does not end before the other connection.
    await silent.closed;
  };
  for (let i = 0; i < 5; i++) await turn();
  expect(isClosed).toBe(false);
  clock.advance(limits.loginTime.max * 1000);
  await closed;
});

test('an unfinished TLS handshake is ended', async () => {
  api = await startApiServer({ limits: { handshakeMs: 50 } });
  const socket = tcpConnect({ port: api.server.port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.resume().once('close', resolve));
  // The handshake may be ended, too, on a busy machine.
  await eventually(async () => expect((await api.http('GET', '/health')).status).toBe(200));
});

test('a controller has the limits of the table', () => {
  expect(defaultLimits).toMatchObject({
    connections: limits.connections.max,
    newcomers: limits.newcomers.max,
    newcomersOfAddress: limits.newcomersOfAddress.max,
    newcomersOfAddressWhenFull: limits.newcomersOfAddressWhenFull.max,
    handshakeMs: limits.handshakeTime.max * 1000,
    loginMs: limits.loginTime.max * 1000,
  });
});
