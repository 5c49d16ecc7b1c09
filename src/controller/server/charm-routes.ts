/** Charm archives over HTTP (wire.md#charm-upload, wire.md#charm-download). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CharmDoc } from '../../core/charm/document.ts';
import { JujuError } from '../../core/errors.ts';
import { userTag } from '../../wire/tags.ts';
import { openArchive } from '../../kit/archive.ts';
import { defaultIcon } from '../charms/default-icon.ts';
import { storeCharm } from '../charms/store-charm.ts';
import type { Identity } from './access.ts';
import type { ServerContext } from './context.ts';
import { allow, sendJson } from './respond.ts';
import { authenticateRequest, authorizeSender, authorizeUpload } from './http-auth.ts';
import type { HttpPath } from './routes.ts';

type CharmsPath = Extract<HttpPath, { kind: 'charms' }>;
type CharmPath = Extract<HttpPath, { kind: 'charm' }>;

/** Serves `/model/<uuid>/charms?…`: POST uploads; GET lists files, or sends one, or the archive. */
export async function serveCharms(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, query }: CharmsPath,
): Promise<void> {
  allow(request, ['GET', 'HEAD', 'POST']);
  if (request.method === 'POST') {
    const uploader = await authorizeUpload(context, request, modelUuid);
    checkContentType(request);
    const schema = query.get('schema') ?? 'local';
    if (schema !== '' && schema !== 'local')
      throw new JujuError(
        'bad request',
        `unsupported charm schema "${schema}": only local charms are uploaded`,
      );
    const doc = await storeCharm(uploader.context, request, {
      model: modelOf(context, modelUuid),
      by: userTag(uploader.user),
      revision: parseRevision(query.get('revision') ?? ''),
      check: ({ name }) => checkName(query.get('name') ?? '', name),
    });
    sendUploaded(response, doc);
    return;
  }
  await authorizeRead(context, request, modelUuid);
  const url = query.get('url') ?? '';
  if (url === '') throw new JujuError('bad request', 'expected url=CharmURL query argument');
  const doc = context.store.read().in(modelOf(context, modelUuid)).get('charm', withoutSeries(url));
  if (!doc) throw new JujuError('not found', `charm "${url}" not found`);
  const file = query.get('icon') === '1' ? 'icon.svg' : (query.get('file') ?? '');
  if (file === '*') return sendArchive(context, response, doc);
  await sendFile(context, response, doc, { file, isIcon: query.get('icon') === '1' });
}

/** Serves `/model-<uuid>/charms/<name>-<hash>`: PUT uploads, GET sends the archive. */
export async function serveCharm(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, object, isWritable }: CharmPath,
): Promise<void> {
  allow(request, isWritable ? ['GET', 'HEAD', 'PUT'] : ['GET', 'HEAD']);
  const dash = object.lastIndexOf('-');
  const name = object.slice(0, Math.max(dash, 0));
  const prefix = object.slice(dash + 1);
  if (request.method !== 'PUT') {
    await authorizeRead(context, request, modelUuid);
    const { store } = context;
    const charms = store.read().in(modelOf(context, modelUuid)).find('charm', 'name', name);
    const doc = [...charms].find(({ sha256 }) => prefix.length >= 7 && sha256.startsWith(prefix));
    if (!doc) throw new JujuError('not found', `charm "${object}" not found`);
    return sendArchive(context, response, doc);
  }
  const uploader = await authorizeUpload(context, request, modelUuid);
  checkContentType(request);
  if (name === '' || !/^[0-9a-f]{7,64}$/.test(prefix))
    throw new JujuError(
      'bad request',
      `"${object}" is not a valid charm object: expected <name>-<hash of the archive>`,
    );
  const requested = parseCurl(request.headers['juju-curl']);
  checkName(requested.name, name);
  const doc = await storeCharm(uploader.context, request, {
    model: modelOf(context, modelUuid),
    by: userTag(uploader.user),
    revision: requested.revision,
    check(charm) {
      checkName(requested.name, charm.name);
      if (!charm.sha256.startsWith(prefix))
        throw new JujuError(
          'bad request',
          `hash of the charm archive is ${charm.sha256}, expected ${prefix}…`,
        );
    },
  });
  sendUploaded(response, doc);
}

/** Authorizes readers: users who may read the model, and the agents of its own machines. */
async function authorizeRead(
  context: ServerContext,
  request: IncomingMessage,
  modelUuid: string,
): Promise<Identity> {
  const identity = await authenticateRequest(context, request, modelUuid);
  const needs = identity.kind === 'machine' ? 'agent' : 'model-read';
  authorizeSender(context, request, { identity, model: modelUuid, needs });
  return identity;
}

/** UUID of the model; `/charms` is the controller model's. */
function modelOf({ store }: ServerContext, modelUuid: string): string {
  return modelUuid === '' ? (store.read().in('').get('controller', 'self')?.modelUuid ?? '') : modelUuid;
}

function checkContentType(request: IncomingMessage): void {
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]!.trim().toLowerCase() !== 'application/zip')
    throw new JujuError('bad request', `expected Content-Type: application/zip, got: ${type}`);
}

function checkName(expected: string, actual: string): void {
  if (expected !== '' && expected !== actual)
    throw new JujuError('bad request', `charm name is "${actual}", expected "${expected}"`);
}

/** Parses a charm URL `local:<name>-<revision>`. */
function parseCurl(header: string | string[] | undefined): { name: string; revision: number } {
  if (header === undefined)
    throw new JujuError('bad request', 'expected Juju-Curl header with the charm URL');
  const match = /^local:(?:[a-z0-9]+\/)?([a-z][a-z0-9-]*?)(?:-(\d+))?$/.exec(String(header));
  if (!match) throw new JujuError('bad request', `"${String(header)}" is not a valid URL of a local charm`);
  return { name: match[1]!, revision: parseRevision(match[2] ?? '') };
}

/** Parses a revision; an empty text and -1 mean no preference. */
function parseRevision(text: string): number {
  if (text === '' || text === '-1') return 0;
  const revision = Number(text);
  if (!/^\d{1,9}$/.test(text)) throw new JujuError('bad request', `"${text}" is not a valid revision`);
  return revision;
}

/** Removes the series: `local:focal/x-0`, which older clients use, is `local:x-0`. */
function withoutSeries(url: string): string {
  return url.replace(/^local:[a-z0-9]+\//, 'local:');
}

/**
 * Answers an upload. The URL has no series, which old clients give and Juju would include: a charm has one name here,
 * by which the client deploys it next.
 */
function sendUploaded(response: ServerResponse, { url }: CharmDoc): void {
  sendJson(response, 200, { 'charm-url': url }, { 'Juju-Curl': url });
}

async function sendArchive(
  { services }: ServerContext,
  response: ServerResponse,
  doc: CharmDoc,
): Promise<void> {
  const path = services.blobs.path(doc.sha256);
  if (path === undefined) throw new JujuError('not found', `archive of charm "${doc.url}" not found`);
  const { size } = await stat(path);
  response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': size });
  await send(createReadStream(path), response);
}

async function sendFile(
  { services }: ServerContext,
  response: ServerResponse,
  doc: CharmDoc,
  { file, isIcon }: { file: string; isIcon: boolean },
): Promise<void> {
  const path = services.blobs.path(doc.sha256);
  if (path === undefined) throw new JujuError('not found', `archive of charm "${doc.url}" not found`);
  const archive = await openArchive(path);
  try {
    if (file === '') {
      sendJson(response, 200, {
        files: [...archive.entries.values()].filter((e) => e.kind !== 'directory').map((e) => e.path),
      });
      return;
    }
    const entry = archive.entries.get(posix.normalize(file).replace(/^\/+/, ''));
    if (!entry && isIcon) {
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(defaultIcon);
      return;
    }
    if (!entry) throw new JujuError('not found', `charm file "${file}" not found`);
    // Links are not followed: their target can be requested by its own name.
    if (entry.kind !== 'file') throw new JujuError('forbidden', `"${file}" is a ${entry.kind}, not a file`);
    response.writeHead(200, { 'Content-Type': contentType(entry.path), 'Content-Length': entry.size });
    await send(await archive.stream(entry), response);
  } finally {
    archive.close();
  }
}

/** Streams to the response; ends quietly when the client disconnects. */
async function send(source: NodeJS.ReadableStream, response: ServerResponse): Promise<void> {
  try {
    await pipeline(source, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * Content type of a file: images that pages show keep theirs, all else is text or bytes, so that a charm's HTML never
 * runs with the controller's origin.
 */
function contentType(path: string): string {
  if (path.endsWith('.svg')) return 'image/svg+xml';
  if (/\.(md|txt|yaml|yml|json|py|sh|html|htm|js|css)$/.test(path)) return 'text/plain; charset=utf-8';
  return 'application/octet-stream';
}
