import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits as table } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';
import { backupsOf } from '../backups/of-controller.ts';
import type { ServerContext } from './context.ts';
import { authorizeRequest } from './http-auth.ts';
import { allow } from './respond.ts';
import type { HttpPath } from './routes.ts';

/**
 * Serves `/model/<uuid>/backups`: GET with the body `{"id": "<path of the archive>"}`. An archive that was sent whole
 * is removed (backups.md#backup-archive), but for those of a schedule.
 */
export async function serveBackup(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid }: Extract<HttpPath, { kind: 'backups' }>,
): Promise<void> {
  allow(request, ['GET']);
  await authorizeRequest(context, request, { modelUuid, needs: 'superuser' });
  const { store, services, limits } = context;
  if (store.read().in('').get('controller', 'self')?.modelUuid !== modelUuid)
    throw new JujuError('bad request', 'requested model is not the controller model');
  const backups = backupsOf(services);
  const { path, size, sha256 } = await backups.open(await readId(request));
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(size),
    Digest: `SHA-256=${Buffer.from(sha256, 'hex').toString('base64')}`,
  });
  response.setTimeout(limits.stalledMs, () => response.destroy());
  const file = createReadStream(path);
  try {
    await pipeline(file, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    // A client with the whole archive may close before the end is noticed here. Any other may ask again.
    if (file.bytesRead < size || response.writableLength > 0) return;
  }
  await backups.archives.sent(path);
}

async function readId(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    checkLimit(table.backupRequest, size);
    chunks.push(chunk);
  }
  const id = idOf(Buffer.concat(chunks).toString('utf8'));
  if (typeof id !== 'string') throw new JujuError('bad request', 'expected {"id": "<path of a backup>"}');
  return id;
}

function idOf(text: string): unknown {
  try {
    const body = parseJson(text);
    return body !== null && typeof body === 'object' ? (body as Record<string, unknown>)['id'] : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
