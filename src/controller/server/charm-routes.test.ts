import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits } from '../../core/limits.ts';
import {
  basic,
  machineNonce,
  machineSecret,
  otherModel,
  startApiServer,
  testModel,
  type ApiServer,
} from '../../testing/api-server.ts';
import { withJson } from '../../testing/with-json.ts';
import { makeZip, type ZipEntry } from '../../testing/zip.ts';
import { defaultLimits } from './context.ts';
import { defined } from '../../core/defined.ts';

let api: ApiServer;
let temp: string;
beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'grigri-charm-routes-'));
  // A temporary folder of its own shows what an upload leaves behind.
  vi.stubEnv('TMPDIR', temp);
  api = await startApiServer({ limits: { charmBytes: 1_000_000 } });
});
afterAll(async () => {
  await api.stop();
  vi.unstubAllEnvs();
  await rm(temp, { recursive: true, force: true });
});

function charm(name: string, furtherEntries: readonly ZipEntry[] = []): Buffer {
  return makeZip([
    { name: 'metadata.yaml', content: `name: ${name}\nsummary: s\ndescription: d\n` },
    { name: 'hooks/install', content: '#!/bin/sh\n', mode: 0o100755 },
    ...furtherEntries,
  ]);
}
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

type Sent = ReturnType<typeof withJson<Awaited<ReturnType<ApiServer['http']>>>>;
async function send(
  method: string,
  path: string,
  options: { user?: string; headers?: Record<string, string>; body?: Buffer } = {},
): Promise<Sent> {
  const { user = 'writer', headers = {}, body } = options;
  return withJson(
    await api.http(method, path, {
      ...defined({ auth: user === '' ? undefined : basic(`user-${user}`) }),
      headers: { ...defined({ 'Content-Type': body ? 'application/zip' : undefined }), ...headers },
      ...defined({ body }),
    }),
  );
}
const put = (name: string, body: Buffer, user = 'writer', curl = `local:${name}-0`): Promise<Sent> =>
  send('PUT', `/model-${testModel}/charms/${name}-${sha256(body).slice(0, 7)}`, {
    user,
    body,
    headers: { 'Juju-Curl': curl },
  });

describe('PUT', () => {
  it('PUT gives a charm the next free revision, also for the same archive', async () => {
    const body = charm('putter');
    for (const revision of [0, 1]) {
      const url = `local:putter-${revision}`;
      expect(await put('putter', body)).toMatchObject({
        status: 200,
        headers: { 'juju-curl': url },
        json: { 'charm-url': url },
      });
      expect(api.store.read().in(testModel).get('charm', url)).toMatchObject({
        url,
        name: 'putter',
        revision,
        sha256: sha256(body),
        size: body.length,
        meta: { name: 'putter' },
      });
    }
    expect(await api.services.blobs.read(sha256(body))).toEqual(body);
  });

  it('PUT starts at the revision that the uploader names', async () => {
    expect((await put('wisher', charm('wisher'), 'writer', 'local:wisher-5')).json).toEqual({
      'charm-url': 'local:wisher-5',
    });
    expect((await put('wisher', charm('wisher'), 'writer', 'local:wisher-5')).json).toEqual({
      'charm-url': 'local:wisher-6',
    });
    expect((await put('wisher', charm('wisher'), 'writer', 'local:wisher-0')).json).toEqual({
      'charm-url': 'local:wisher-7',
    });
  });

  it('PUT repacks a charm that is in a folder', async () => {
    const body = makeZip([
      { name: 'top/metadata.yaml', content: 'name: nested\n' },
      { name: 'top/hooks/start', content: '#!/bin/sh\n', mode: 0o100755 },
    ]);
    expect((await put('nested', body)).status).toBe(200);
    const { json } = await send('GET', `/model/${testModel}/charms?url=local:nested-0`);
    expect(json).toEqual({ files: ['metadata.yaml', 'hooks/start'] });
  });

  it.each<[string, (body: Buffer) => Promise<Sent>, RegExp]>([
    [
      'another hash',
      (body) =>
        send('PUT', `/model-${testModel}/charms/bad-0000000`, {
          body,
          headers: { 'Juju-Curl': 'local:bad-0' },
        }),
      /hash/,
    ],
    [
      'no hash',
      (body) =>
        send('PUT', `/model-${testModel}/charms/bad`, { body, headers: { 'Juju-Curl': 'local:bad-0' } }),
      /not a valid charm object/,
    ],
    [
      'no URL',
      (body) => send('PUT', `/model-${testModel}/charms/bad-${sha256(body).slice(0, 7)}`, { body }),
      /Juju-Curl/,
    ],
    ['a URL of the store', (body) => put('bad', body, 'writer', 'ch:bad-1'), /not a valid URL/],
    ['another name in the URL', (body) => put('bad', body, 'writer', 'local:good-1'), /charm name/],
    ['another name in the archive', () => put('bad', charm('good')), /charm name is "good"/],
    ['a revision beyond measure', (body) => put('bad', body, 'writer', 'local:bad-99999999999'), /revision/],
    [
      'another type',
      (body) =>
        put('bad', body).then(() =>
          send('PUT', `/model-${testModel}/charms/bad-0000000`, {
            body,
            headers: { 'Content-Type': 'text/plain', 'Juju-Curl': 'local:bad-0' },
          }),
        ),
      /Content-Type/,
    ],
    ['a zip with a way out', () => put('bad', charm('bad', [{ name: '../evil', content: 'x' }])), /invalid/],
    ['no zip', () => put('bad', Buffer.from('nonsense')), /cannot read archive/],
    ['no metadata', () => put('bad', makeZip([{ name: 'x', content: 'y' }])), /no metadata.yaml/],
  ])('PUT with %s is a bad request', async (_name, run, message) => {
    const answer = await run(charm('bad'));
    expect(answer).toMatchObject({ status: 400, json: { 'error-code': 'bad request' } });
    expect(answer.json['error']).toMatch(message);
  });

  it('PUT refuses an archive over the size limit', async () => {
    expect(defaultLimits.charmBytes).toBe(limits.charmArchive.max);
    const body = makeZip([{ name: 'noise', content: noise(1_200_000) }]);
    const answer = await put('large', body).catch((error: Error) => error);
    // The connection may close while the client is still writing.
    if (answer instanceof Error) expect((answer as NodeJS.ErrnoException).code).toMatch(/ECONNRESET|EPIPE/);
    else
      expect(answer).toMatchObject({
        status: 400,
        json: { error: expect.stringContaining('exceed the limit of 1000000') as unknown },
      });
    expect((await send('GET', '/health', { user: '' })).status).toBe(200);
  });

  it('a refused PUT leaves nothing behind', async () => {
    const body = charm('refused', [{ name: '../evil', content: 'x' }]);
    await put('refused', body);
    expect(api.services.blobs.path(sha256(body))).toBeUndefined();
    expect(api.store.read().in(testModel).count('charm', 'name', 'refused')).toBe(0);
    await expect
      .poll(async () => (await readdir(temp)).filter((name) => name.startsWith('grigri-upload-')))
      .toEqual([]);
  });

  it('concurrent PUTs get a revision each', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('crowd', charm('crowd'))));
    const urls = answers.map(({ json }) => json['charm-url'] as string).sort();
    expect(urls).toEqual(Array.from({ length: 8 }, (_, i) => `local:crowd-${i}`));
  });
});

it('a dying model takes no charm', async () => {
  const uuid = '0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b99';
  await api.store.change((tx) => {
    tx.put('model', uuid, { ...tx.get('model', testModel)!, uuid, name: 'ending', life: 'dying' });
  }, 'test');
  const body = charm('late');
  const answer = await send('POST', `/model/${uuid}/charms`, { user: 'admin', body });
  expect(answer).toMatchObject({ status: 500, json: { error: 'model "ending" is no longer alive' } });
  expect(api.services.blobs.path(sha256(body))).toBeUndefined();
});

describe('POST', () => {
  it('POST answers with the URL to deploy, whatever series it was given', async () => {
    const body = charm('poster');
    const path = `/model/${testModel}/charms?series=focal`;
    expect((await send('POST', path, { body })).json).toEqual({ 'charm-url': 'local:poster-0' });
    expect((await send('POST', `/model/${testModel}/charms`, { body })).json).toEqual({
      'charm-url': 'local:poster-1',
    });
    expect(api.store.read().in(testModel).get('charm', 'local:poster-0')).toBeDefined();
  });

  it.each(['schema=ch', 'revision=x', 'name=other'])('POST with %s is a bad request', async (query) => {
    expect(
      (await send('POST', `/model/${testModel}/charms?${query}`, { body: charm('poster') })).status,
    ).toBe(400);
  });
});

describe('GET', () => {
  let body: Buffer;
  beforeAll(async () => {
    body = charm('getter', [
      { name: 'icon.svg', content: '<svg/>' },
      { name: 'page.html', content: '<script>' },
      { name: 'link', content: 'page.html', mode: 0o120777 },
    ]);
    await put('getter', body);
  });
  const get = (query: string, user = 'reader'): ReturnType<ApiServer['http']> =>
    api.http('GET', `/model/${testModel}/charms?${query}`, { auth: basic(`user-${user}`) });

  it('GET sends the archive, one file, or the list', async () => {
    expect((await get('url=local:getter-0&file=*')).body).toEqual(body);
    expect((await get('url=local:focal/getter-0&file=hooks/install')).body.toString()).toBe('#!/bin/sh\n');
    expect(JSON.parse((await get('url=local:getter-0')).body.toString())).toHaveProperty('files');
    const hash = sha256(body).slice(0, 7);
    for (const path of [
      `/model-${testModel}/charms/getter-${hash}`,
      `/model/${testModel}/charms/getter-${hash}`,
    ])
      expect((await api.http('GET', path, { auth: basic('user-reader') })).body).toEqual(body);
  });

  it('GET never serves HTML of a charm as a page', async () => {
    expect((await get('url=local:getter-0&file=page.html')).headers['content-type']).toBe(
      'text/plain; charset=utf-8',
    );
  });

  it('GET serves an icon for every charm', async () => {
    expect((await get('url=local:getter-0&icon=1')).body.toString()).toBe('<svg/>');
    expect((await get('url=local:putter-0&icon=1')).body.toString()).toMatch(/^<svg /);
  });

  it.each([
    ['url=local:nothing-0', 404],
    ['url=local:getter-0&file=nothing', 404],
    ['url=local:getter-0&file=../../../../etc/passwd', 404],
    ['url=local:getter-0&file=/etc/passwd', 404],
    ['url=local:getter-0&file=%2e%2e%2fpasswd', 404],
    ['url=local:getter-0&file=a%00b', 404],
    ['url=local:getter-0&file=link', 403],
    ['', 400],
  ])('GET of %s is %i', async (query, status) => {
    expect((await get(query)).status).toBe(status);
  });

  it('an agent can read charms of its model and nothing else', async () => {
    const path = (model: string): string => `/model-${model}/charms/getter-${sha256(body).slice(0, 7)}`;
    const download = (model: string, nonce: string): ReturnType<ApiServer['http']> =>
      api.http('GET', path(model), {
        auth: basic('machine-0', machineSecret),
        headers: { 'X-Juju-Nonce': nonce },
      });
    expect((await download(testModel, machineNonce)).body).toEqual(body);
    expect((await download(testModel, 'another')).status).not.toBe(200);
    expect((await download(otherModel, machineNonce)).status).toBe(404);
  });
});

describe('access', () => {
  const charms = `/model/${testModel}/charms`;
  it.each([
    ['nobody', '', 401, 401],
    ['an unknown user', 'nobody', 401, 401],
    ['a disabled user', 'disabled', 401, 401],
    ['a user without access', 'stranger', 401, 401],
    ['a reader', 'reader', 401, 404],
    ['a writer', 'writer', 200, 404],
    ['an admin of the model', 'owner', 200, 404],
    ['a superuser', 'admin', 200, 404],
  ])('the access of %s', async (_name, user, upload, read) => {
    const body = charm('access');
    expect((await put('access', body, user)).status).toBe(upload);
    expect((await send('POST', charms, { user, body })).status).toBe(upload);
    const answer = await send('GET', `${charms}?url=local:nothing-0`, { user });
    expect(answer.status).toBe(read);
    if (read === 401) expect(answer.headers['www-authenticate']).toBe('Basic realm="juju"');
  });

  it('an agent can only read charms', async () => {
    const body = charm('agents');
    const answer = await api.http('POST', charms, {
      auth: basic('machine-0', machineSecret),
      headers: { 'X-Juju-Nonce': machineNonce, 'Content-Type': 'application/zip' },
      body,
    });
    expect(answer.status).toBe(401);
    expect(api.store.read().in(testModel).count('charm', 'name', 'agents')).toBe(0);
  });

  it('an admin of one model has no access to another', async () => {
    expect(
      (await send('POST', `/model/${otherModel}/charms`, { user: 'owner', body: charm('x') })).status,
    ).toBe(401);
  });
});

describe('other paths', () => {
  it('/health is served, and unknown paths, methods and models are refused', async () => {
    const { status, body } = await api.http('GET', '/health');
    expect([status, body.toString()]).toEqual([200, 'running\n']);
    expect(await send('GET', '/nonsense')).toMatchObject({
      status: 404,
      json: { error: { message: 'not found', code: 'not found' } },
    });
    expect((await send('DELETE', `/model/${testModel}/charms`)).status).toBe(405);
    expect((await send('GET', '/model/0c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7bff/charms?url=x')).status).toBe(404);
  });
});

/** Bytes that do not compress. */
function noise(bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  let state = 1;
  for (let i = 0; i < bytes; i++) out[i] = (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  return out;
}
