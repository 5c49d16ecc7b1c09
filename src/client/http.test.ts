import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeTestCa, type TestCa } from '../testing/test-ca.ts';
import { download, uploadCharm, type HttpOptions } from './http.ts';
import { downloadRest } from './resources.ts';

let ca: TestCa;
let server: Server;
let dir: string;
let handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

beforeAll(async () => {
  ca = await makeTestCa();
  dir = await mkdtemp(join(tmpdir(), 'grigri-http-'));
  server = createServer(ca.server, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

const options = (): HttpOptions => ({
  addresses: ['127.0.0.1:1', `127.0.0.1:${(server.address() as AddressInfo).port}`],
  caCert: ca.caCert,
  login: { tag: 'machine-0', password: 'pw', nonce: 'n' },
});
const archive = Buffer.from('a charm'.repeat(100_000));
const sha256 = createHash('sha256').update(archive).digest('hex');

test('a download appears under its name only when complete, and authenticates with the credentials of the login', async () => {
  let received: IncomingMessage | undefined;
  handle = (request, response) => {
    received = request;
    response.end(archive);
  };
  const file = join(dir, 'whole.charm');
  expect(await download({ ...options(), path: '/model-m/charms/x-1234567', file, sha256 })).toBe(
    archive.length,
  );
  expect(await readFile(file)).toEqual(archive);
  expect(received?.url).toBe('/model-m/charms/x-1234567');
  expect(received?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('machine-0:pw').toString('base64')}`,
    'x-juju-nonce': 'n',
  });
});

test('a download with another checksum leaves no file', async () => {
  handle = (_request, response) => response.end('something else');
  const file = join(dir, 'wrong.charm');
  await expect(download({ ...options(), path: '/x', file, sha256 })).rejects.toMatchObject({
    code: 'not valid',
  });
  expect((await readdir(dir)).filter((name) => name.startsWith('wrong'))).toEqual([]);
});

test('a download that is cut short leaves no file', async () => {
  handle = (_request, response) => {
    response.writeHead(200, { 'Content-Length': String(archive.length) });
    response.write(archive.subarray(0, 1000), () => response.destroy());
  };
  const file = join(dir, 'short.charm');
  await expect(download({ ...options(), path: '/x', file, sha256 })).rejects.toMatchObject({
    code: 'try again',
  });
  expect((await readdir(dir)).filter((name) => name.startsWith('short'))).toEqual([]);
});

test('a download to a full disk names the file, the reason and the room, leaves no file, and asks no other address', async () => {
  let asked = 0;
  handle = (_request, response) => {
    asked++;
    response.writeHead(200, { 'Content-Length': String(archive.length) }).end(archive);
  };
  const { addresses, ...others } = options();
  const twice = { ...others, addresses: [addresses[1]!, addresses[1]!] };
  const file = join(dir, 'full');
  await symlink('/dev/full', `${file}.partial`);
  const full = `cannot write ${file}: write: no space left on device; want 1MiB`;
  await expect(download({ ...twice, path: '/x', file, sha256 })).rejects.toMatchObject({
    code: '',
    message: full,
  });
  const rest = { path: '/x', file: '/dev/full', from: 0, size: archive.length, onPiece: () => undefined };
  handle = (_request, response) => {
    asked++;
    response.writeHead(200, { 'Content-Sha384': 'f' }).end(archive);
  };
  await expect(downloadRest({ ...twice, ...rest, fingerprint: 'f' })).rejects.toMatchObject({
    code: '',
    message: 'cannot write /dev/full: write: no space left on device',
  });
  expect(asked).toBe(2);
  expect((await readdir(dir)).filter((name) => name.startsWith('full'))).toEqual([]);
});

test('a resource whose connection breaks goes on at the next address where it broke', async () => {
  const ranges: (string | undefined)[] = [];
  let breakOff: (() => unknown) | undefined;
  handle = (request, response) => {
    const { range } = request.headers;
    ranges.push(range);
    response.writeHead(range === undefined ? 200 : 206, { 'Content-Sha384': 'f' });
    if (ranges.length > 1) return void response.end(archive.subarray(Number(/\d+/.exec(range ?? '0')![0])));
    response.write(archive.subarray(0, 1000));
    breakOff = () => response.destroy();
  };
  const { addresses, ...others } = options();
  const twice = { ...others, addresses: [addresses[1]!, addresses[1]!] };
  const file = join(dir, 'resource');
  const told: Buffer[] = [];
  const onPiece = (piece: Buffer): void => {
    told.push(piece);
    breakOff?.();
  };
  const rest = { path: '/x', file, from: 0, size: archive.length, fingerprint: 'f', onPiece };
  await downloadRest({ ...twice, ...rest });
  expect(ranges).toEqual([undefined, `bytes=${told[0]!.length}-`]);
  expect((await readFile(file)).equals(archive)).toBe(true);
  expect(Buffer.concat(told).equals(archive)).toBe(true);
});

test.each([
  { body: '{"error":"charm not found","error-code":"not found"}', status: 404, message: 'charm not found' },
  {
    body: '{"error":{"message":"charm not found","code":"not found"}}',
    status: 404,
    message: 'charm not found',
  },
  { body: '', status: 404, message: 'the controller answered 404' },
])('an error answer $body becomes a JujuError', async ({ body, status, message }) => {
  handle = (_request, response) => response.writeHead(status).end(body);
  const refused = download({ ...options(), path: '/x', file: join(dir, 'none'), sha256 });
  await expect(refused).rejects.toMatchObject({ name: 'JujuError', code: 'not found', message });
});

test('a charm is uploaded under its hash, and its URL is the one in the response header', async () => {
  const file = join(dir, 'up.charm');
  await writeFile(file, archive);
  let received: { request: IncomingMessage; body: Buffer } | undefined;
  handle = (request, response, body) => {
    received = { request, body };
    response.writeHead(200, { 'Juju-Curl': 'local:my-charm-7' }).end('{"charm-url":"local:my-charm-7"}');
  };
  const url = await uploadCharm({ ...options(), modelUuid: 'm', name: 'my-charm', revision: 3, file });
  expect(url).toBe('local:my-charm-7');
  expect(received?.request.method).toBe('PUT');
  expect(received?.request.url).toBe(`/model-m/charms/my-charm-${sha256.slice(0, 7)}`);
  expect(received?.request.headers).toMatchObject({
    'juju-curl': 'local:my-charm-3',
    'content-type': 'application/zip',
  });
  expect(received?.body).toEqual(archive);
});

test('an upload fails with the error that the server sends before it has read the body', async () => {
  const file = join(dir, 'large.charm');
  await writeFile(file, Buffer.alloc(8 * 1024 ** 2));
  const early = createServer(ca.server, (request, response) => {
    request.once('data', () => {
      request.pause();
      response.writeHead(403, { Connection: 'close' }).end('{"error":"too large","error-code":"forbidden"}');
    });
  });
  await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
  const addresses = [`127.0.0.1:${(early.address() as AddressInfo).port}`];
  try {
    const upload = uploadCharm({ ...options(), addresses, modelUuid: 'm', name: 'c', revision: 0, file });
    await expect(upload).rejects.toMatchObject({ code: 'forbidden', message: 'too large' });
  } finally {
    early.closeAllConnections();
    early.close();
  }
});

test('a server whose certificate is of another CA is refused', async () => {
  const { caCert } = await makeTestCa();
  const refused = download({ ...options(), caCert, path: '/x', file: join(dir, 'none'), sha256 });
  await expect(refused).rejects.toMatchObject({
    code: 'try again',
    message: expect.stringContaining('certificate') as string,
  });
});

test('a proxy in the environment is not used', async () => {
  handle = (_request, response) => response.end(archive);
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  try {
    const file = join(dir, 'direct.charm');
    expect(await download({ ...options(), path: '/x', file, sha256 })).toBe(archive.length);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('an abort ends a download with its reason, and leaves neither a file nor a connection', async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  handle = (request, response) => {
    request.socket.once('close', () => closed.resolve());
    response.writeHead(200, { 'Content-Length': String(archive.length) });
    response.write(archive.subarray(0, 1000), () => controller.abort(new Error('no more')));
  };
  const file = join(dir, 'aborted.charm');
  const aborted = download({ ...options(), signal: controller.signal, path: '/x', file, sha256 });
  await expect(aborted).rejects.toThrow('no more');
  await closed.promise;
  expect((await readdir(dir)).filter((name) => name.startsWith('aborted'))).toEqual([]);
});

test('a connection is closed after its answer', async () => {
  const closed = Promise.withResolvers<void>();
  handle = (request, response) => {
    request.socket.once('close', () => closed.resolve());
    response.end(archive);
  };
  await download({ ...options(), path: '/x', file: join(dir, 'closed.charm'), sha256 });
  await closed.promise;
});
