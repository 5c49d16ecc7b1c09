import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessId } from '../../core/access/document.ts';
import { limits } from '../../core/limits.ts';
import type { ResourceDoc } from '../../core/resource/document.ts';
import {
  basic,
  machineNonce,
  machineSecret,
  otherModel,
  startApiServer,
  testModel,
  type ApiServer,
} from '../../testing/api-server.ts';
import { eventually } from '../../testing/eventually.ts';
import { withJson } from '../../testing/with-json.ts';
import { addUnit, deployed } from '../../testing/resources.ts';
import { setControllerConfig } from '../transactions/set/set-controller-config.ts';
import { announceResources, setResourceContent } from '../transactions/shared/resources.ts';
import { collectBlob } from '../charms/collect-blob.ts';
import { forgetPastBlobs } from '../transactions/end/forget-past-blobs.ts';
import { defaultLimits } from './context.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApiServer({ limits: { resourceBytes: 500_000 } });
});
afterAll(() => api.stop());

let app = '';
let count = 0;
beforeEach(async () => {
  app = `app${++count}`;
  await api.store.change((tx) => {
    deployed(tx.in(testModel), app, {
      blob: { filename: 'blob.tgz' },
      image: { type: 'oci-image' },
    });
    addUnit(tx.in(testModel), `${app}/0`, '0');
  }, 'test');
});

const sha384 = (content: string | Buffer): string => createHash('sha384').update(content).digest('hex');
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

type Sent = ReturnType<typeof withJson<Awaited<ReturnType<ApiServer['http']>>>>;

async function send(
  method: string,
  path: string,
  options: { readonly auth?: string; readonly headers?: Record<string, string>; readonly body?: Buffer } = {},
): Promise<Sent> {
  const { auth = basic('user-writer'), ...more } = options;
  return withJson(await api.http(method, path, { auth, ...more }));
}

function put(
  content: string | Buffer,
  {
    name = 'blob',
    path = `/model/${testModel}/applications/${app}/resources/${name}`,
    query = '',
    auth,
    headers = {},
  }: {
    readonly name?: string;
    readonly path?: string;
    readonly query?: string;
    readonly auth?: string;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Sent> {
  return send('PUT', `${path}${query}`, {
    ...(auth === undefined ? {} : { auth }),
    body: Buffer.from(content),
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Sha384': sha384(content),
      'Content-Disposition': 'form-data; filename="given.tgz"',
      ...headers,
    },
  });
}

const docOf = (name = 'blob'): ResourceDoc | undefined =>
  api.store.read().in(testModel).get('resource', `${app}/${name}`);
const versionOf = (): number =>
  api.store.read().in(testModel).get('application', app)?.charmModifiedVersion ?? 0;

describe('PUT', () => {
  it('PUT stores the content, and tells units only of another one', async () => {
    const answer = await put('one');
    expect(answer).toMatchObject({
      status: 200,
      json: {
        resource: {
          id: `${app}/blob`,
          name: 'blob',
          path: 'blob.tgz',
          origin: 'upload',
          size: 3,
          username: 'writer',
          fingerprint: Buffer.from(sha384('one'), 'hex').toString('base64'),
        },
      },
    });
    expect(docOf()).toMatchObject({ fingerprint: sha384('one'), sha256: sha256('one'), size: 3 });
    expect(versionOf()).toBe(1);
    await put('one');
    expect(versionOf()).toBe(1);
    await put('two');
    expect(versionOf()).toBe(2);
  });

  it('PUT for a pending id fills what was announced, and no unit is told', async () => {
    const [pendingId] = await api.store.change(
      (tx) =>
        announceResources(tx.in(testModel), {
          application: app,
          charmUrl: `local:${app}-0`,
          names: ['blob'],
        }),
      'test',
    );
    expect(await put('new', { query: `?pendingid=${pendingId}` })).toMatchObject({
      status: 200,
      json: { resource: { 'pending-id': pendingId } },
    });
    expect(docOf()).toBeUndefined();
    expect(versionOf()).toBe(0);
    expect(await put('new', { query: '?pendingid=other' })).toMatchObject({ status: 404 });
  });

  it('an image is described by JSON or YAML', async () => {
    const headers = { 'Content-Disposition': 'multipart/form-data; filename="x"' };
    expect(await put('registrypath: a/b:1', { name: 'image', headers })).toMatchObject({ status: 200 });
    expect(await put('{"registrypath":"a/b:2","username":"u"}', { name: 'image' })).toMatchObject({
      status: 200,
    });
    expect(await put('[1]', { name: 'image' })).toMatchObject({
      status: 400,
      json: { error: { message: 'OCI image: expected a map with registrypath' } },
    });
    const large = `registrypath: ${'x'.repeat(limits.imageDetails.max)}`;
    expect(await put(large, { name: 'image' })).toMatchObject({ status: 400 });
  });

  it.each<[string, () => Promise<Sent>, number, string]>([
    [
      'another content than announced',
      () => put('x', { headers: { 'Content-Sha384': sha384('y') } }),
      400,
      'fingerprint does not match: got',
    ],
    ['no fingerprint', () => put('x', { headers: { 'Content-Sha384': 'zz' } }), 400, 'invalid fingerprint'],
    [
      'another type',
      () => put('x', { headers: { 'Content-Type': 'text/plain' } }),
      400,
      'unsupported content type "text/plain"',
    ],
    [
      'another extension',
      () => put('x', { headers: { 'Content-Disposition': 'form-data; filename="x.zip"' } }),
      400,
      'incorrect extension on resource upload "x.zip", expected ".tgz"',
    ],
    [
      'an encoded name with another extension',
      () =>
        put('x', {
          headers: {
            'Content-Disposition': `form-data; filename="=?utf-8?b?${Buffer.from('ü.zip').toString('base64')}?="`,
          },
        }),
      400,
      'incorrect extension on resource upload "ü.zip"',
    ],
    ['an unknown resource', () => put('x', { name: 'other' }), 404, 'resource "other" not found'],
    ['a name of every object', () => put('x', { name: '__proto__' }), 404, 'resource "__proto__" not found'],
    ['a way up', () => put('x', { name: '..%2F..%2Fetc' }), 404, 'resource "../../etc" not found'],
    [
      'an unknown application',
      () => put('x', { path: `/model/${testModel}/applications/none/resources/blob` }),
      404,
      'application "none" not found',
    ],
    ['a reader', () => put('x', { auth: basic('user-reader') }), 401, 'permission denied'],
    [
      'an agent',
      () => put('x', { auth: basic('machine-0', machineSecret), headers: { 'X-Juju-Nonce': machineNonce } }),
      401,
      'permission denied',
    ],
    [
      'another model',
      () => put('x', { path: `/model/${otherModel}/applications/a/resources/blob` }),
      401,
      'permission denied',
    ],
    ['nobody', () => put('x', { auth: basic('user-writer', 'wrong') }), 401, ''],
    [
      'a disposition without end',
      () => put('x', { headers: { 'Content-Disposition': `form-data; filename="${'a'.repeat(6000)}"` } }),
      400,
      'Content-Disposition is too long',
    ],
  ])('PUT refuses %s', async (_, run, status, message) => {
    const answer = await run();
    expect(answer).toMatchObject({ status });
    expect((answer.json['error'] as { message: string }).message).toContain(message);
    expect(docOf()).toBeUndefined();
  });

  it('PUT refuses more than the limit, before and while it is sent', async () => {
    expect(defaultLimits.resourceBytes).toBe(limits.resourceFile.max);
    const answer = await put(Buffer.alloc(500_001)).catch((error: NodeJS.ErrnoException) => error);
    // The connection may close while the client is still writing.
    if (answer instanceof Error) expect(answer.code).toMatch(/ECONNRESET|EPIPE/);
    else expect(answer).toMatchObject({ status: 400, json: { error: { code: 'quota limit exceeded' } } });
    expect(docOf()).toBeUndefined();
  });

  it('a model holds a maximum number of bytes of resources', async () => {
    const content = { fingerprint: 'f', sha256: 's', username: 'u' };
    const set = (name: string, size: number): Promise<unknown> =>
      api.store.change(
        (tx) => setResourceContent(tx.in(testModel), { application: app, name }, { ...content, size }),
        'test',
      );
    await expect(set('blob', limits.modelResources.max + 1)).rejects.toMatchObject({
      code: 'quota limit exceeded',
    });
    await set('blob', 10);
    await expect(set('image', limits.modelResources.max)).rejects.toThrow('resources of a model: ');
    await set('blob', 1);
  });

  it('the number of uploads at a time is limited', async () => {
    const folder = api.services.uploadsDir;
    const answers = await Promise.all(
      Array.from({ length: limits.resourceUploads.max + 8 }, (_, i) => put(Buffer.alloc(400_000, i))),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { status, json } of answers)
      if (status !== 200) expect(json).toMatchObject({ error: { code: 'quota limit exceeded' } });
    // All uploads are over, and of two for one resource one has won as a whole.
    const path = api.services.blobs.path(docOf()?.sha256 ?? '');
    expect(path).toBeDefined();
    expect((await readdir(folder)).filter((name) => name.startsWith('upload-'))).toEqual([]);
  });

  it('a refused content is not kept', async () => {
    await put('kept nowhere', { headers: { 'Content-Sha384': sha384('other') } });
    expect(api.services.blobs.path(sha256('kept nowhere'))).toBeUndefined();
  });
});

describe('GET', () => {
  const path = (): string => `/model/${testModel}/applications/${app}/resources/blob`;
  const unitPath = (unit = `unit-${app}-0`): string => `/model/${testModel}/units/${unit}/resources/blob`;
  const agent = (nonce = machineNonce): { auth: string; headers: Record<string, string> } => ({
    auth: basic('machine-0', machineSecret),
    headers: { 'X-Juju-Nonce': nonce },
  });

  it('GET sends the content to users who may read the model, from any byte on', async () => {
    expect(await send('GET', path(), { auth: basic('user-reader') })).toMatchObject({
      status: 404,
      json: { error: { message: 'resource "blob" data not uploaded yet' } },
    });
    await put('0123456789');
    const whole = await send('GET', path(), { auth: basic('user-reader') });
    expect(whole).toMatchObject({
      status: 200,
      headers: { 'content-length': '10', 'content-sha384': sha384('0123456789') },
    });
    expect(whole.body.toString()).toBe('0123456789');
    const rest = await send('GET', path(), { headers: { Range: 'bytes=7-' } });
    expect(rest).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 7-9/10' } });
    expect(rest.body.toString()).toBe('789');
    for (const Range of ['bytes=10-', 'bytes=-3', 'bytes=1-2', 'bytes=99999999999999999999-'])
      expect(await send('GET', path(), { headers: { Range } })).toMatchObject({ status: 200 });
    expect((await send('GET', path(), { auth: basic('user-stranger') })).status).toBe(401);
  });

  it('an agent gets the resources of its own units alone', async () => {
    await put('content');
    await api.store.change((tx) => addUnit(tx.in(testModel), `${app}/1`, '7'), 'test');
    const own = await send('GET', unitPath(), agent());
    expect(own.body.toString()).toBe('content');
    expect((await send('GET', unitPath(`unit-${app}-1`), agent())).status).toBe(401);
    expect((await send('GET', unitPath('unit-none-0'), agent())).status).toBe(401);
    expect((await send('GET', unitPath(), agent('old'))).status).not.toBe(200);
    expect((await send('GET', unitPath())).status).toBe(401);
    expect((await send('GET', path(), agent())).status).toBe(401);
    expect((await send('PUT', unitPath(), agent())).status).toBe(405);
    expect(api.services.downloads.ofUnit(testModel, `${app}/0`)).toEqual({});
  });
});

it('downloads of units that wait for each other all end, and a refused download holds no slot', async () => {
  const set = (max: number): Promise<void> =>
    api.store.change(
      (tx) => setControllerConfig(tx.in(''), { 'controller-resource-download-limit': max }),
      'test',
    );
  await put('content');
  await set(1);
  const path = `/model/${testModel}/units/unit-${app}-0/resources/blob`;
  const auth = basic('machine-0', machineSecret);
  const get = (nonce: string): Promise<Sent> =>
    send('GET', path, { auth, headers: { 'x-juju-nonce': nonce } });
  const all = await Promise.all(
    [machineNonce, 'old', machineNonce, machineNonce, 'old', machineNonce].map(get),
  );
  expect(all.map(({ status }) => status === 200)).toEqual([true, false, true, true, false, true]);
  await set(0);
});

it('an upload counts only if its user may still write when it ends', async () => {
  const allow = (level: 'write' | 'nothing'): Promise<void> =>
    api.store.change((tx) => {
      const writer = tx.get('user', 'writer')!;
      tx.put('user', 'uploader', { ...writer, name: 'uploader' });
      const id = accessId({ user: 'uploader', model: testModel });
      if (level === 'nothing') tx.remove('access', id);
      else tx.put('access', id, { user: 'uploader', model: testModel, access: level });
    }, 'test');
  const answered = new Promise<number>((resolve, reject) => {
    const auth = Buffer.from(basic('user-uploader')).toString('base64');
    const upload = request(
      {
        host: '127.0.0.1',
        port: api.server.port,
        method: 'PUT',
        path: `/model/${testModel}/applications/${app}/resources/blob`,
        ca: api.caCert,
        servername: 'juju-apiserver',
        headers: {
          Authorization: `Basic ${auth}`,
          'Content-Type': 'application/octet-stream',
          'Content-Sha384': sha384('half and half'),
          'Content-Disposition': 'form-data; filename="given.tgz"',
        },
      },
      (response) => resolve(response.resume().statusCode ?? 0),
    );
    upload.on('error', reject);
    const send = async (): Promise<void> => {
      await allow('write');
      upload.write('half and');
      // The folder is made when the upload is authorized.
      await eventually(async () =>
        expect((await readdir(api.services.uploadsDir)).some((name) => name.startsWith('upload-'))).toBe(
          true,
        ),
      );
      await allow('nothing');
      upload.end(' half');
    };
    send().catch(reject);
  });
  expect(await answered).toBe(401);
  expect(docOf()).toBeUndefined();
  await eventually(() => expect(api.services.blobs.path(sha256('half and half'))).toBeUndefined());
});

it('a replaced content is collected when the history has forgotten it', async () => {
  await put('first');
  await put('second');
  expect(collectBlob(api, sha256('first'))).toBe('used');
  const { revision } = api.store.read();
  await api.store.change((tx) => forgetPastBlobs(tx.in(testModel), revision), 'test');
  expect(collectBlob(api, sha256('first'))).toBe('removed');
  expect(collectBlob(api, sha256('second'))).toBe('used');
  expect(api.services.blobs.path(sha256('first'))).toBeUndefined();
  expect(api.services.blobs.path(sha256('second'))).toBeDefined();
});
