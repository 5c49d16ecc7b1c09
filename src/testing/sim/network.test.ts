import { describe, expect, test } from 'vitest';
import { Faults } from '../../forecast/world/faults.ts';
import { SimNetwork, type SimHost } from '../../forecast/world/network.ts';
import { SimProcess } from '../../forecast/world/process.ts';
import { Scheduler } from '../../forecast/world/scheduler.ts';
import type { SimSocket } from '../../forecast/world/socket.ts';
import type { FaultRates } from '../../forecast/world/faults.ts';

const address = '10.0.0.1:17070';

async function connected(rates: FaultRates = {}): Promise<{
  scheduler: Scheduler;
  faults: Faults;
  client: SimSocket;
  server: SimSocket;
  processes: { client: SimProcess; server: SimProcess };
  hosts: { client: SimHost; server: SimHost };
  /** Events in their order: `server heard one`, `client closed 1006`. */
  heard: string[];
  run: (ms: number) => Promise<void>;
}> {
  const scheduler = new Scheduler({ seed: 1 });
  const faults = new Faults({ seed: 1, rates: {}, scheduler });
  const network = new SimNetwork({ seed: 1, scheduler, faults });
  const of = (name: string): SimProcess => new SimProcess({ scheduler, name, run: '', seed: 1 });
  const at = (name: string): SimHost => ({ name, cutUntil: 0, off: false });
  const processes = { client: of('client'), server: of('server') };
  const hosts = { client: at('client'), server: at('server') };
  const sockets: { client?: SimSocket; server?: SimSocket } = {};
  network.listen(address, {
    process: processes.server,
    host: hosts.server,
    onConnection: (socket) => void (sockets.server = socket),
  });
  void network
    .connect(processes.client, hosts.client, address, '/api')
    .then((socket) => (sockets.client = socket));
  await scheduler.drive(() => sockets.client !== undefined);
  const { client, server } = sockets;
  if (!client || !server) throw new Error('not connected');
  faults.set(rates);
  const heard: string[] = [];
  for (const [name, socket] of Object.entries({ client, server })) {
    socket.on('message', (data: Buffer) => heard.push(`${name} heard ${data.toString()}`));
    socket.on('close', (code: number) => heard.push(`${name} closed ${code}`));
    for (const event of ['ping', 'pong']) socket.on(event, () => heard.push(`${name} ${event}`));
  }
  const run = async (ms: number): Promise<void> => {
    const end = scheduler.now + ms;
    await scheduler.drive((time) => time > end);
    scheduler.now = end;
  };
  return { scheduler, faults, client, server, processes, hosts, heard, run };
}

const sendAll = (socket: SimSocket, ...texts: string[]): void =>
  texts.forEach((text) => socket.send(text, () => undefined));

describe('simulated connections', () => {
  test('a connection delivers messages in order, and answers pings by itself', async () => {
    const { client, server, heard, run } = await connected();
    sendAll(client, 'a', 'b', 'c');
    server.ping();
    await run(100);
    expect(heard.filter((line) => line.includes('heard'))).toEqual(
      ['a', 'b', 'c'].map((text) => `server heard ${text}`),
    );
    expect(heard.filter((line) => line.includes('p'))).toEqual(['client ping', 'server pong']);
  });

  test('a connection is closed with or without a reason', async () => {
    const polite = await connected();
    polite.server.close(1001, 'bye');
    await polite.run(100);
    expect(polite.heard.toSorted()).toEqual(['client closed 1001', 'server closed 1001']);
    const rude = await connected();
    rude.client.terminate();
    await rude.run(100);
    expect(rude.heard.toSorted()).toEqual(['client closed 1006', 'server closed 1006']);
  });

  test('a connection of a killed process delivers what the process had sent, then ends at the other side only', async () => {
    const { client, processes, heard, run } = await connected();
    sendAll(client, 'last words');
    processes.client.kill();
    sendAll(client, 'from the grave');
    await run(100);
    expect(heard).toEqual(['server heard last words', 'server closed 1006']);
  });

  test('a connection of a host that was turned off sends nothing', async () => {
    const { processes, hosts, heard, run } = await connected();
    hosts.client.off = true;
    processes.client.kill();
    await run(60_000);
    expect(heard).toEqual([]);
  });

  test('a connection that is cut for a while delivers everything later', async () => {
    const { client, hosts, heard, run, scheduler } = await connected();
    hosts.client.cutUntil = scheduler.now + 10_000;
    sendAll(client, 'a', 'b');
    await run(9_999);
    expect(heard).toEqual([]);
    await run(20_000);
    expect(heard).toEqual(['server heard a', 'server heard b']);
  });

  test('a connection that loses a message delivers nothing after it, and is lost', async () => {
    const { client, faults, heard, run } = await connected({ 'message-lost': 1 });
    sendAll(client, 'a');
    faults.set({ 'message-lost': 0 });
    sendAll(client, 'b');
    await run(120_000);
    expect(heard).toContain('client closed 1006');
    expect(heard.filter((line) => line.includes('heard'))).toEqual([]);
  });

  test('a connection whose answer is lost has delivered the question', async () => {
    const { client, server, heard, run, faults } = await connected({ 'answer-lost': 1 });
    sendAll(client, 'question');
    await run(100);
    sendAll(server, 'answer');
    await run(100);
    expect(heard.toSorted()).toEqual(['client closed 1006', 'server closed 1006', 'server heard question']);
    expect(faults.counts['answer-lost']).toBe(1);
  });

  test('concurrent calls on a connection are answered in any order', async () => {
    const { server, faults, heard, run } = await connected({ 'answers-reordered': 1 });
    sendAll(server, 'a');
    faults.set({ 'answers-reordered': 0 });
    sendAll(server, 'b');
    await run(1_000);
    expect(heard).toEqual(['client heard b', 'client heard a']);
  });

  test('a connection that is broken by a reset is closed at both ends, a half-open one at most at one', async () => {
    const reset = await connected({ 'connection-reset': 1 });
    sendAll(reset.client, 'a');
    await reset.run(1_000);
    expect(reset.heard.toSorted()).toEqual(['client closed 1006', 'server closed 1006']);
    const half = await connected({ 'connection-half-open': 1 });
    sendAll(half.client, 'a');
    await half.run(1_000);
    expect(half.heard).toHaveLength(1);
    expect(half.heard[0]).toMatch(/closed 1006/);
  });
});
