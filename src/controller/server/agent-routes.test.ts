import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notFound } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { systemClock } from '../../kit/clock.ts';
import {
  basic,
  machineNonce,
  machineSecret,
  startApiServer,
  testModel,
  type ApiServer,
} from '../../testing/api-server.ts';
import { statusOf } from '../transactions/tx.ts';

const bundle = randomBytes(300_000);
const sha256 = createHash('sha256').update(bundle).digest('hex');
const tools = `/model/${testModel}/tools/3.6.28-ubuntu-amd64`;
let folder: string;
let api: ApiServer;
const build = 'b'.repeat(64);
const asked: (string | undefined)[] = [];
let now = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-agent-routes-'));
  const path = join(folder, 'bundle');
  await writeFile(path, bundle);
  api = await startApiServer({
    clock: { now: () => now, sleep: (ms, signal) => systemClock.sleep(ms, signal) },
    bundles: {
      archs: ['amd64'],
      hasBuild: () => false,
      absence: (arch) => `no agent for ${arch}`,
      file: (arch, wanted) =>
        arch === 'amd64' && asked.push(wanted)
          ? Promise.resolve({ path, sha256, size: bundle.length })
          : Promise.reject(notFound('agent for', arch)),
    },
  });
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

describe('the agent', () => {
  test('the agent bundle is sent to every client, with its checksum', async () => {
    const { status, headers, body } = await api.http('GET', tools);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-length': String(bundle.length),
      'content-type': 'application/gzip',
      'x-sha256': sha256,
    });
    expect(body.equals(bundle)).toBe(true);
  });

  test('HEAD describes the agent bundle', async () => {
    const { status, headers, body } = await api.http('HEAD', tools);
    expect([status, headers['content-length'], body.length]).toEqual([200, String(bundle.length), 0]);
  });

  test('a download goes on where it was cut', async () => {
    const { status, headers, body } = await api.http('GET', tools, { headers: { Range: 'bytes=299990-' } });
    expect(status).toBe(206);
    expect(headers).toMatchObject({
      'content-range': 'bytes 299990-299999/300000',
      'content-length': '10',
      'x-sha256': sha256,
    });
    expect(body.equals(bundle.subarray(299_990))).toBe(true);
  });

  test.each(['bytes=300000-', 'bytes=0-', 'bytes=1-2', 'items=1-', 'bytes=-5'])(
    'the agent bundle is sent whole for %s',
    async (range) => {
      const { status, body } = await api.http('GET', tools, { headers: { Range: range } });
      expect([status, body.length]).toEqual([200, bundle.length]);
    },
  );

  test('an agent of an earlier version asks by that for a build', async () => {
    const { status } = await api.http('GET', `/model/${testModel}/tools/3.6.2-ubuntu-amd64?build=${build}`);
    expect(status).toBe(200);
    expect(asked.at(-1)).toBe(build);
  });

  test.each([
    [
      'another version',
      `/model/${testModel}/tools/2.9.1-ubuntu-amd64`,
      404,
      /^agent 2\.9\.1-ubuntu-amd64 not found: /,
    ],
    ['a later version', `/model/${testModel}/tools/3.6.99-ubuntu-amd64`, 404, /this controller has version/],
    ['another architecture', `/model/${testModel}/tools/3.6.28-ubuntu-s390x`, 404, /s390x/],
    [
      'a model that is not there',
      '/model/nowhere/tools/3.6.28-ubuntu-amd64',
      404,
      /unknown model: "nowhere"/,
    ],
    ['a path out of it', `/model/${testModel}/tools/3.6.28-ubuntu-..%2f..%2fstore.db`, 404, /store/],
  ])('a request for the agent bundle is refused for %s', async (_, path, expected, message) => {
    const { status, body } = await api.http('GET', path);
    const { error } = JSON.parse(body.toString()) as { error: { message: string } };
    expect(status).toBe(expected);
    expect(error.message).toMatch(message);
  });

  test('a client that does not read a download is disconnected, without an error of the controller', async () => {
    const path = join(folder, 'large');
    await writeFile(path, '');
    await truncate(path, 64 << 20);
    const size = 64 << 20;
    const slow = await startApiServer({
      limits: { stalledMs: 200 },
      bundles: {
        archs: [],
        absence: () => undefined,
        hasBuild: () => false,
        file: () => Promise.resolve({ path, sha256, size }),
      },
    });
    try {
      const { hostname, port } = new URL(`https://${slow.server.addresses[0]}`);
      const bytesRead = await new Promise<number>((resolve, reject) => {
        let bytes = 0;
        const request = get({ hostname, port, path: tools, rejectUnauthorized: false }, (answer) => {
          answer.once('error', () => resolve(bytes));
          setTimeout(() => answer.on('data', (chunk: Buffer) => (bytes += chunk.length)), 1000);
          answer.once('end', () => reject(new Error('all of it came')));
        });
        request.once('error', reject);
      });
      expect(bytesRead).toBeLessThan(size);
      expect(slow.records.filter(({ level }) => level === 'ERROR')).toEqual([]);
    } finally {
      await slow.stop();
    }
  });

  test('the agent bundle cannot be written', async () => {
    expect((await api.http('PUT', tools, { body: bundle })).status).toBe(405);
  });
});

describe('reports of a first boot', () => {
  const report = async (
    body: string | Buffer,
    {
      state = 'running',
      machine = '0',
      auth = basic('machine-0', machineSecret),
      nonce = machineNonce,
      method = 'POST',
    }: Partial<Record<'state' | 'machine' | 'auth' | 'nonce' | 'method', string>> = {},
  ): Promise<number> => {
    now += 60_000;
    const { status } = await api.http(method, `/model/${testModel}/machine/${machine}/boot?state=${state}`, {
      auth,
      headers: { 'X-Juju-Nonce': nonce },
      body: Buffer.from(body),
    });
    return status;
  };
  const shown = (): string[] => {
    const { status, message } = statusOf(api.store.read().in(testModel), 'machine-agent', '0', '');
    return [status, message];
  };

  test('boot reports become the status of the machine and lines of the log', async () => {
    expect(await report('downloading the agent')).toBe(204);
    expect(shown()).toEqual(['pending', 'downloading the agent']);
    expect(await report('the disk is full', { state: 'failed' })).toBe(204);
    expect(shown()).toEqual(['error', 'the disk is full']);
    expect(await report('  downloading\n\u001b[31m again\n')).toBe(204);
    expect(shown()).toEqual(['pending', 'downloading [31m again']);
    const lines = await api.services.logs.last(testModel, 3, () => true);
    expect(lines.map(({ tag, sev, msg }) => `${tag} ${sev} ${msg}`)).toEqual([
      'machine-0 INFO downloading the agent',
      'machine-0 ERROR the disk is full',
      'machine-0 INFO downloading [31m again',
    ]);
  });

  test.each<[string, Parameters<typeof report>[1], number]>([
    ['a wrong password', { auth: basic('machine-0', 'wrong') }, 401],
    ['another nonce', { nonce: 'another' }, 500],
    ['no password', { auth: 'machine-0' }, 401],
    ['another machine', { machine: '1' }, 401],
    ['a user', { auth: basic('user-admin') }, 401],
    ['another method', { method: 'PUT' }, 405],
  ])('boot reports are refused from %s', async (_, how, status) => {
    const before = shown();
    expect(await report('hello', how)).toBe(status);
    expect(shown()).toEqual(before);
  });

  test('boot reports have a maximum length and are not empty', async () => {
    expect(await report(Buffer.alloc(limits.bootReport.max + 1, 'a'))).toBe(400);
    expect(await report(Buffer.alloc(limits.bootReport.max, 'a'))).toBe(204);
    expect(await report(' \n')).toBe(400);
  });

  test('boot reports have a maximum rate', async () => {
    const sendReport = (): Promise<{ status: number }> =>
      api.http('POST', `/model/${testModel}/machine/0/boot?state=running`, {
        auth: basic('machine-0', machineSecret),
        headers: { 'X-Juju-Nonce': machineNonce },
        body: Buffer.from('again'),
      });
    now += 60_000;
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) statuses.push((await sendReport()).status);
    expect(statuses.slice(0, 30).every((status) => status === 204)).toBe(true);
    expect(statuses.slice(30)).toEqual([500, 500]);
    now += 60_000;
    expect((await sendReport()).status).toBe(204);
  });

  test('boot reports are ignored once the agent has come', async () => {
    await api.store.change(
      (tx) =>
        tx.in(testModel).put('status', 'machine-agent:0', {
          kind: 'machine-agent',
          entity: '0',
          status: 'started',
          message: '',
          since: tx.now,
        }),
      'test',
    );
    expect(await report('starting the agent')).toBe(204);
    expect(shown()).toEqual(['started', '']);
  });
});
