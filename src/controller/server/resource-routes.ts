/** Contents of resources over HTTP (wire.md#resource-upload, wire.md#resource-download). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defined } from '../../core/defined.ts';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import { resourceId, type ResourceDoc } from '../../core/resource/document.ts';
import { checkExtension, declaredResource, shownResource } from '../../core/resource/shown.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { parseTagOf, userTag } from '../../wire/tags.ts';
import { resourceResult } from '../resources/resource-result.ts';
import { storeResource } from '../resources/store-resource.ts';
import { UploadSlots } from '../resources/upload-slots.ts';
import { resourceOfUnit, refuseUpload, uploadTarget } from '../transactions/shared/resources.ts';
import { mustGet, type View } from '../transactions/tx.ts';
import { parseContentRange, parseDisposition } from './content-headers.ts';
import type { ServerContext } from './context.ts';
import { authenticateRequest, authorizeRequest, authorizeSender, authorizeUpload } from './http-auth.ts';
import { allow, sendJson } from './respond.ts';
import type { HttpPath } from './routes.ts';

type ResourcePath = Extract<HttpPath, { kind: 'resource' }>;

/** Serves a resource of an application (PUT, GET), or of a unit to its own agent (GET). */
export async function serveResource(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  path: ResourcePath,
): Promise<void> {
  const { owner, resource, modelUuid } = path;
  if ('unit' in owner) {
    allow(request, ['GET', 'HEAD']);
    const unit = await ownUnit(context, request, path, owner.unit);
    const doc = contentForUnit(context.store.read().in(modelUuid), unit, resource);
    const download = { doc, model: modelUuid, unit: unit.name };
    if (request.method === 'HEAD') return send(context, request, response, download);
    return sendInTurn(context, request, response, download);
  }
  allow(request, ['GET', 'HEAD', 'PUT']);
  if (request.method === 'PUT') return receive(context, request, response, path, owner.application);
  await authorizeRequest(context, request, { modelUuid, needs: 'model-read' });
  const doc = contentOf(context.store.read().in(modelUuid), owner.application, resource);
  await send(context, request, response, { doc, model: modelUuid });
}

const slots = new WeakMap<ServerContext, UploadSlots>();

async function receive(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, resource: name, query }: ResourcePath,
  application: string,
): Promise<void> {
  const uploader = await authorizeUpload(context, request, modelUuid);
  const { fingerprint, fileName, size } = uploadHeaders(request);
  const pendingId = query.get('pendingid') ?? '';
  const target = { application, name, ...defined({ pendingId: pendingId || undefined }) };
  const view = context.store.read().in(modelUuid);
  const { charm } = uploadTarget(view, target);
  refuseUpload(view, target);
  const shown = shownResource(charm.meta.resources, target, undefined);
  checkExtension(fileName, shown);
  const ofServer = slots.get(context) ?? new UploadSlots();
  slots.set(context, ofServer);
  const end = ofServer.take(uploader.user);
  try {
    const doc = await storeResource(uploader.context, request, {
      model: modelUuid,
      by: userTag(uploader.user),
      username: uploader.user,
      target,
      type: shown.type,
      fingerprint,
      ...defined({ size }),
      maxBytes: context.limits.resourceBytes,
    });
    sendJson(response, 200, { resource: resourceResult(shownResource(charm.meta.resources, target, doc)) });
  } finally {
    end();
  }
}

/** Reads the headers of an upload. Errors: `bad request`. */
function uploadHeaders({ headers }: IncomingMessage): {
  readonly fingerprint: string;
  readonly fileName: string;
  readonly size?: number;
} {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/octet-stream')
    throw new JujuError('bad request', `unsupported content type "${type.slice(0, 100)}"`);
  const fingerprint = String(headers['content-sha384'] ?? '').toLowerCase();
  if (!/^[0-9a-f]{96}$/.test(fingerprint))
    throw new JujuError('bad request', 'invalid fingerprint: expected the SHA-384 of the content in hex');
  const length = headers['content-length'];
  const size = length === undefined ? undefined : Number(length);
  const fileName = parseDisposition(headers['content-disposition'] ?? '');
  return { fingerprint, fileName, ...defined({ size }) };
}

/** The unit that the agent asks for, which is on its own machine. Errors: `unauthorized access`. */
async function ownUnit(
  context: ServerContext,
  request: IncomingMessage,
  { modelUuid }: ResourcePath,
  tag: string,
): Promise<UnitDoc> {
  const identity = await authenticateRequest(context, request, modelUuid);
  const reader = context.store.read();
  const caller = authorizeSender(context, request, { identity, model: modelUuid, needs: 'agent' });
  const view = reader.in(modelUuid);
  const unit = view.get('unit', parseTagOf('unit', tag));
  if (caller.kind !== 'machine' || unit?.machine !== caller.machine) throw permissionDenied();
  const machine = view.get('machine', caller.machine);
  if (caller.nonce !== undefined && machine?.nonce !== caller.nonce) throw permissionDenied();
  return unit;
}

/** The content that the application has. Errors: `not found`. */
function contentOf(view: View, application: string, name: string): ResourceDoc {
  const { doc } = uploadTarget(view, { application, name });
  if (!doc) throw new JujuError('not found', `resource "${name}" data not uploaded yet`);
  return view.get('resource', resourceId(doc)) ?? doc;
}

/** Returns the content for a unit. Errors: as contentOf. */
function contentForUnit(view: View, unit: UnitDoc, name: string): ResourceDoc {
  const { charmUrl, doc } = resourceOfUnit(view, unit, name);
  declaredResource(mustGet(view, 'charm', charmUrl).meta.resources, name);
  if (!doc) throw new JujuError('not found', `resource "${name}" data not uploaded yet`);
  return doc;
}

/** Sends the content to a unit, when it is its turn. */
async function sendInTurn(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  download: { doc: ResourceDoc; model: string; unit: string },
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort(new JujuError('', 'the client disconnected')));
  const { model, doc } = download;
  const giveBack = await context.downloadSlots.take(`${model} ${doc.application}`, gone.signal);
  try {
    await send(context, request, response, download);
  } finally {
    giveBack();
  }
}

/** Sends the content, or the part of it that is asked for. */
async function send(
  { services, limits }: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { doc, model, unit }: { doc: ResourceDoc; model: string; unit?: string },
): Promise<void> {
  const path = services.blobs.path(doc.sha256);
  if (path === undefined) throw new JujuError('not found', `content of resource "${doc.name}" not found`);
  const { size } = await stat(path);
  const start = parseContentRange(request.headers.range, size);
  response.writeHead(start > 0 ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': size - start,
    'Content-Sha384': doc.fingerprint,
    'Accept-Ranges': 'bytes',
    ...(start > 0 ? { 'Content-Range': `bytes ${start}-${size - 1}/${size}` } : {}),
  });
  response.setTimeout(limits.stalledMs, () => response.destroy());
  if (request.method === 'HEAD') return void response.end();
  const progress =
    unit === undefined ? undefined : services.downloads.begin({ model, unit, name: doc.name }, start);
  const counted = new Transform({
    highWaterMark: chunkBytes,
    transform(chunk: Buffer, _encoding, done) {
      if (progress) progress.bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    await pipeline(createReadStream(path, { start, highWaterMark: chunkBytes }), counted, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    progress?.end();
  }
}

/** Size of the pieces that are read and sent: large ones cost less than Node's 64 KiB. */
const chunkBytes = 512 * 1024;
