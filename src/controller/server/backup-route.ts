import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../../core/errors.ts';
import { limits as table } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';
import { errorText } from '../../kit/system-error.ts';
import type { Backups } from '../backups/backups.ts';
import { backupsOf } from '../backups/of-controller.ts';
import type { ServerContext } from './context.ts';
import { authorizeRequest } from './http-auth.ts';
import { allow, readBody, sendJson } from './respond.ts';
import type { HttpPath } from './routes.ts';

/**
 * Serves `/model/<uuid>/backups` with the body `{"id": "<path of the archive>"}` (backups.md#download). GET sends the
 * archive; DELETE says that the client has it. With `?keep=true` the archive stays until then.
 */
export async function serveBackup(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, query }: Extract<HttpPath, { kind: 'backups' }>,
): Promise<void> {
  allow(request, ['DELETE', 'GET']);
  await authorizeRequest(context, request, { modelUuid, needs: 'superuser' });
  const { store, services } = context;
  if (store.read().in('').get('controller', 'self')?.modelUuid !== modelUuid)
    throw new JujuError('bad request', 'requested model is not the controller model');
  const backups = backupsOf(services);
  const id = idOf(await readBody(request, table.backupRequest));
  if (request.method === 'DELETE') {
    await backups.archives.received(id);
    return sendJson(response, 200, {});
  }
  const archive = await backups.open(id);
  if (!(await send(context, response, archive)) || query.get('keep') === 'true') return;
  const { path } = archive;
  backups
    .sent(path)
    .catch((error: unknown) =>
      services.log.warning('a sent backup stays', { path, error: errorText(error) }),
    );
}

/** Sends an archive. Returns whether the client may have the whole of it. */
async function send(
  { limits }: ServerContext,
  response: ServerResponse,
  { path, size, sha256 }: Awaited<ReturnType<Backups['open']>>,
): Promise<boolean> {
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(size),
    Digest: `SHA-256=${Buffer.from(sha256, 'hex').toString('base64')}`,
  });
  response.setTimeout(limits.stalledMs, () => response.destroy());
  const file = createReadStream(path);
  try {
    await pipeline(file, response);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    // A client with the whole archive may close before the end is noticed here.
    return file.bytesRead === size && response.writableLength === 0;
  }
}

/** The archive that a request names. Errors: `bad request`. */
function idOf(text: string): string {
  let id: unknown;
  try {
    id = (parseJson(text) as { readonly id?: unknown } | null)?.id;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (typeof id !== 'string') throw new JujuError('bad request', 'expected {"id": "<path of a backup>"}');
  return id;
}
