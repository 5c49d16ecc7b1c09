import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import type { LxdClient, LxdRequest } from './client.ts';
import { HttpLxdClient } from './connect.ts';
import { classOf } from './errors.ts';
import { startTestLxd, type Meddling, type TestLxd } from '../../../testing/providers/test-lxd.ts';

const never = new AbortController().signal;
const get: LxdRequest = { method: 'GET', path: '/1.0' };
const create: LxdRequest = {
  method: 'POST',
  path: '/1.0/instances',
  body: { name: 'x', config: {}, devices: {}, profiles: [] },
};
let lxd: TestLxd;
let client: LxdClient;

beforeEach(async () => {
  lxd = await startTestLxd();
  client = new HttpLxdClient(lxd.spec, { clock: systemClock, log: silentLog, timeoutMs: 300 });
});
afterEach(() => lxd.close());

test('An operation is awaited for any number of slices, and its progress is reported', async () => {
  lxd.operationMs = 1500;
  const heard: string[] = [];
  await client.request({ ...create, progress: (message) => heard.push(message) }, never);
  expect(lxd.requests.filter((request) => request.endsWith('/wait')).length).toBeGreaterThan(1);
  expect(heard).toEqual(['Unpack: 50% (1MB/s)']);
});

test('An operation without news is given up, and LXD is asked to cancel it', async () => {
  lxd.operationMs = 60_000;
  const impatient = new HttpLxdClient(lxd.spec, { clock: systemClock, log: silentLog, patienceSeconds: 1 });
  const error = await impatient
    .request({ ...create, progress: () => undefined }, never)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    failure: 'none',
    message: expect.stringMatching(/does not finish/) as string,
  });
  expect(classOf(error as Parameters<typeof classOf>[0])).toBe('transient');
  expect(lxd.requests.at(-1)).toMatch(/^DELETE \/1.0\/operations\//);
});

test('Failures of operations are distinguished from immediate refusals', async () => {
  lxd.failures.set('Creating instance', 'no space left on device');
  await expect(client.request(create, never)).rejects.toMatchObject({
    status: 400,
    failure: 'operation',
    message: 'no space left on device',
  });
  await expect(
    client.request({ method: 'DELETE', path: '/1.0/instances/nobody' }, never),
  ).rejects.toMatchObject({ status: 404, failure: 'answer' });
  expect(await client.find('/1.0/instances/nobody', never)).toBeUndefined();
});

const meddlings: readonly (readonly [what: string, Meddling, status: number, says: RegExp, as: string])[] = [
  ['answers 500', { status: 500, error: 'it is broken' }, 500, /^it is broken$/, 'transient'],
  ['is overloaded', { status: 503, error: 'later' }, 503, /^later$/, 'transient'],
  ['trusts nobody', { status: 403, error: 'not authorized' }, 403, /authorized/, 'credential'],
  ['refuses the request', { status: 400, error: 'no such key' }, 400, /no such key/, 'bad request'],
  ['hangs', 'hang', 0, /does not answer/, 'transient'],
  ['does not hear', 'cut before', 0, /unix\.socket/, 'transient'],
];
for (const [what, meddling, status, says, as] of meddlings) {
  test(`An LXD that ${what} is ${as}`, async () => {
    lxd.meddle = () => meddling;
    const error = await client.request(get, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'LxdError', status, message: expect.stringMatching(says) as string });
    expect(classOf(error as Parameters<typeof classOf>[0])).toBe(as);
    lxd.meddle = () => undefined;
    expect(await client.request(get, never)).toMatchObject({ auth: 'trusted' });
  });
}

test('A request fails when LXD hangs during the wait for its operation', async () => {
  client = new HttpLxdClient(lxd.spec, { clock: systemClock, log: silentLog, timeoutMs: 100 });
  lxd.operationMs = 60_000;
  lxd.meddle = (request) => (request.endsWith('/wait') ? 'hang' : undefined);
  await expect(client.request({ ...create, progress: () => undefined }, never)).rejects.toMatchObject({
    status: 0,
    failure: 'none',
  });
});

test('A request fails when LXD has restarted and forgotten the operation', async () => {
  lxd.operationMs = 60_000;
  lxd.meddle = (request) => {
    if (request.endsWith('/wait')) lxd.restart();
    return undefined;
  };
  await expect(client.request(create, never)).rejects.toMatchObject({ status: 0, failure: 'none' });
  lxd.operationMs = 5;
  lxd.instances.clear();
  lxd.meddle = (request, before) => {
    if (request.endsWith('/wait') && before < 10) lxd.restart();
    return undefined;
  };
  const error = await client.request(create, never).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 0 });
});

test("An aborted request cancels the operation, and rejects with the signal's reason", async () => {
  lxd.operationMs = 60_000;
  const abort = new AbortController();
  lxd.meddle = (request) => {
    if (request.endsWith('/wait')) abort.abort(new Error('enough'));
    return undefined;
  };
  await expect(client.request(create, abort.signal)).rejects.toThrow('enough');
  expect(lxd.requests.at(-1)).toMatch(/^DELETE \/1\.0\/operations\//);
  await expect(client.request(get, abort.signal)).rejects.toThrow('enough');
});

test('An uncut request is sent whole although it is aborted meanwhile', async () => {
  const abort = new AbortController();
  lxd.meddle = () => {
    abort.abort(new Error('enough'));
    return undefined;
  };
  await expect(client.request({ ...create, uncut: true }, abort.signal)).rejects.toThrow('enough');
  expect([...lxd.instances.keys()]).toEqual(['x']);
  lxd.instances.clear();
  await expect(client.request({ ...create, uncut: true }, abort.signal)).rejects.toThrow('enough');
  expect([...lxd.instances.keys()]).toEqual([]);
});

test('The error for a missing LXD names the sockets that were tried', async () => {
  const nowhere = { ...lxd.spec, endpoint: `unix://${lxd.spec.endpoint}-not` };
  const other = new HttpLxdClient(nowhere, { clock: systemClock, log: silentLog });
  await expect(other.request(get, never)).rejects.toMatchObject({
    failure: 'none',
    message: `no LXD on this host: ${lxd.spec.endpoint}-not does not exist`,
  });
});

test('A credential that is no matching certificate and key is refused before any request', async () => {
  const attributes = { 'client-cert': 'nonsense', 'client-key': 'hush-hush' };
  const credential = { authType: 'certificate', attributes };
  const far = { ...lxd.spec, endpoint: 'https://192.0.2.1:8443', credential };
  const other = new HttpLxdClient(far, { clock: systemClock, log: silentLog });
  const error = await other.request(get, never).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({
    failure: 'access',
    message: expect.stringContaining('are not a certificate (PEM) with its key') as string,
  });
  expect((error as Error).message).not.toContain('hush-hush');
});

test('The project is in the query of project resources only', async () => {
  const inProject = new HttpLxdClient(lxd.spec, { clock: systemClock, log: silentLog, project: 'p q' });
  for (const path of ['/1.0/instances', '/1.0', '/1.0/certificates', '/1.0/profiles?recursion=1'])
    await inProject.request({ method: 'GET', path }, never);
  expect(lxd.urls).toEqual([
    '/1.0/instances?project=p%20q',
    '/1.0',
    '/1.0/certificates',
    '/1.0/profiles?project=p%20q&recursion=1',
  ]);
});
