/** Uploads of programs' files for a controller: PUT of /programs/<sha256> (docs/upgrades.md). */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { basic, machineSecret, startApiServer, type ApiServer } from '../../testing/api-server.ts';
import { namesIn } from '../../testing/host-files.ts';
import { withJson } from '../../testing/with-json.ts';
import { ControllerPrograms } from './programs.ts';

let dataDir: string;
let uploadsDir: string;
let api: ApiServer;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'grigri-program-uploads-'));
  uploadsDir = join(dataDir, 'uploads');
  mkdirSync(uploadsDir);
  const programs = new ControllerPrograms({ dataDir, uploadsDir, onChosen: () => undefined });
  api = await startApiServer({ programs });
});
afterEach(async () => {
  await api.stop();
  rmSync(dataDir, { recursive: true });
});

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const stored = (): string[] => namesIn(join(dataDir, 'programs/files'));
const contentOf = (sum: string): string => readFileSync(join(dataDir, 'programs/files', sum), 'utf8');

async function put(
  content: string | Buffer,
  {
    auth = basic('user-admin'),
    name = sha256(content),
    method = 'PUT',
  }: { readonly auth?: string; readonly name?: string; readonly method?: string } = {},
): Promise<{ status: number; json: object }> {
  return withJson(await api.http(method, `/programs/${name}`, { auth, body: Buffer.from(content) }));
}

/** Begins an upload whose body the test writes. */
function begin(name: string, headers: Record<string, number> = {}) {
  const request = httpsRequest({
    host: '127.0.0.1',
    port: api.server.port,
    method: 'PUT',
    path: `/programs/${name}`,
    ca: api.caCert,
    servername: 'juju-apiserver',
    agent: false,
    auth: basic('user-admin'),
    headers,
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
    });
  });
  answer.catch(() => undefined);
  return { request, answer };
}

test('a file that a superuser sends is stored under its checksum, also one that was there', async () => {
  const sum = sha256('text');
  expect(await put('text')).toMatchObject({ status: 200, json: {} });
  expect(await put('text')).toMatchObject({ status: 200 });
  expect(stored()).toEqual([sum]);
  expect(contentOf(sum)).toBe('text');
  expect(namesIn(uploadsDir)).toEqual([]);
});

test.each<[who: string, auth: string]>([
  ['nobody', ''],
  ['a wrong password', basic('user-admin', 'guess')],
  ['a user with rights to a model', basic('user-owner')],
  ["a machine's agent", basic('machine-0', machineSecret)],
])('a file that is sent as %s is refused', async (_, auth) => {
  expect(await put('text', { auth })).toMatchObject({ status: 401 });
  expect(stored()).toEqual([]);
  expect(namesIn(uploadsDir)).toEqual([]);
});

test.each<[what: string, name: string, message: string]>([
  [
    'another checksum',
    sha256('other'),
    `the file has SHA-256 ${sha256('text')}, expected ${sha256('other')}`,
  ],
  ['no checksum', 'node', 'expected /programs/<SHA-256 of the file in hex>'],
  ['one in capitals', sha256('text').toUpperCase(), 'expected /programs/<SHA-256 of the file in hex>'],
  ['a path', '..%2F..%2Fchosen.json', 'expected /programs/<SHA-256 of the file in hex>'],
])('a file under %s is refused, and nothing of it stays', async (_, name, message) => {
  expect(await put('text', { name })).toMatchObject({
    status: 400,
    json: { error: { code: 'bad request', message } },
  });
  expect(stored()).toEqual([]);
  expect(namesIn(uploadsDir)).toEqual([]);
});

test('files are sent by PUT, and not listed or read', async () => {
  await put('text');
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(await put('text', { method })).toMatchObject({ status: 405 });
  expect(stored()).toEqual([sha256('text')]);
});

test('an upload that is cut off leaves nothing, and the file can be sent again', async () => {
  const content = 'a'.repeat(100_000);
  const { request, answer } = begin(sha256(content), { 'Content-Length': content.length });
  request.write(content.slice(0, 50_000));
  await expect.poll(() => namesIn(uploadsDir)).toHaveLength(1);
  request.destroy();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => namesIn(uploadsDir)).toEqual([]);
  expect(stored()).toEqual([]);
  expect(await put(content)).toMatchObject({ status: 200 });
  expect(contentOf(sha256(content))).toBe(content);
});

test('uploads of one file at a time are each answered, and the file is whole', async () => {
  const content = 'b'.repeat(100_000);
  const uploads = Array.from({ length: 3 }, () => begin(sha256(content)));
  for (const { request } of uploads) request.write(content.slice(0, 50_000));
  await expect.poll(() => namesIn(uploadsDir)).toHaveLength(3);
  // One that sends something else takes nothing from the others.
  uploads[0]!.request.end('c'.repeat(50_000));
  for (const { request } of uploads.slice(1)) request.end(content.slice(50_000));
  expect((await Promise.all(uploads.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([
    400, 200, 200,
  ]);
  expect(stored()).toEqual([sha256(content)]);
  expect(contentOf(sha256(content))).toBe(content);
  expect(namesIn(uploadsDir)).toEqual([]);
});

test('a file that says that it is larger than the limit is refused before it is sent', async () => {
  const { request, answer } = begin('a'.repeat(64), { 'Content-Length': limits.programFile.max + 1 });
  request.flushHeaders();
  expect(await answer).toEqual({
    status: 400,
    text: expect.stringContaining('file of a program for the controller') as string,
  });
  request.destroy();
  expect(namesIn(uploadsDir)).toEqual([]);
});

test('a file that does not say how large it is is refused once it is larger than the limit', async () => {
  const { request, answer } = begin('a'.repeat(64));
  const chunk = Buffer.alloc(1024 ** 2);
  const isRefused = answer.then(
    () => true,
    () => true,
  );
  let sent = 0;
  for (; sent <= limits.programFile.max + 64 * chunk.length; sent += chunk.length) {
    const written = new Promise<boolean>((resolve) => request.write(chunk, () => resolve(false)));
    if (await Promise.race([written, isRefused])) break;
  }
  // The connection may close while the client is still writing.
  const said = await answer.catch((error: NodeJS.ErrnoException) => error);
  if (said instanceof Error) expect(said.code).toMatch(/ECONNRESET|EPIPE/);
  else expect(said.status).toBe(400);
  expect(sent).toBeGreaterThanOrEqual(limits.programFile.max);
  await expect.poll(() => namesIn(uploadsDir)).toEqual([]);
  expect(stored()).toEqual([]);
});

test('a controller without files takes none', async () => {
  await using without = await startApiServer().then((server) => ({
    http: server.http.bind(server),
    [Symbol.asyncDispose]: () => server.stop(),
  }));
  const answer = withJson(
    await without.http('PUT', `/programs/${sha256('text')}`, {
      auth: basic('user-admin'),
      body: Buffer.from('text'),
    }),
  );
  expect(answer.json).toMatchObject({ error: { code: 'not supported' } });
});
