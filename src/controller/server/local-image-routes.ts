import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parseBase, type Base } from '../../core/base.ts';
import { JujuError } from '../../core/errors.ts';
import type { LocalImage } from '../../providers/contract/provider.ts';
import { addLocalImage, describeLocalImage, findImageRegistry } from '../local-images.ts';
import type { ServerContext } from './context.ts';
import { allow, sendJson } from './respond.ts';
import { authorizeRequest } from './http-auth.ts';
import { receiveFile } from '../receive-file.ts';
import type { HttpPath } from './routes.ts';

/** Interval of keep-alive bytes, which prevents timeouts of the client and of proxies. */
const keepAliveMs = 15_000;

/** Serves `/local-images/<base>?sha256=<hex>`: POST the archive of a root file system. Ends with its client. */
export async function serveLocalImage(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { base: text, query }: Extract<HttpPath, { kind: 'local-image' }>,
): Promise<void> {
  allow(request, ['POST']);
  await authorizeRequest(context, request, { modelUuid: '', needs: 'superuser' });
  const base = parseBase(text);
  const expected = query.get('sha256') ?? '';
  if (!/^[0-9a-f]{64}$/.test(expected))
    throw new JujuError('bad request', 'expected sha256=<hex> of the archive as query argument');
  findImageRegistry(context);
  // The answer is sent when nothing of the upload is left.
  const image = await receive(context, request, response, { base, expected });
  sendJson(response, 200, describeLocalImage(image));
}

async function receive(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { base, expected }: { base: Base; expected: string },
): Promise<LocalImage> {
  const folder = await mkdtemp(join(context.services.uploadsDir, 'upload-'));
  const ended = new AbortController();
  response.once('close', () => ended.abort(new JujuError('', 'the client disconnected')));
  try {
    const archive = join(folder, 'archive');
    const actual = await receiveFile(request, archive, {
      maxBytes: context.limits.imageBytes,
      description: 'archive of a root file system',
    });
    if (actual !== expected)
      throw new JujuError('bad request', `the archive has SHA-256 ${actual}, expected ${expected}`);
    void keepAlive(context, response, ended.signal);
    return await addLocalImage(context, { base, archive, signal: ended.signal });
  } finally {
    ended.abort(new Error('done'));
    await rm(folder, { recursive: true, force: true });
  }
}

async function keepAlive(
  { services }: ServerContext,
  response: ServerResponse,
  ended: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await services.clock.sleep(keepAliveMs, ended);
      response.writeProcessing();
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
