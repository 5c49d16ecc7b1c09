import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { ResourceDoc } from '../../core/resource/document.ts';
import { readImageDetails } from '../../core/resource/image-details.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import type { Store } from '../../store/store.ts';
import { collectBlob } from '../charms/collect-blob.ts';
import type { Services } from '../services.ts';
import { setResourceContent, type UploadTarget } from '../transactions/shared/resources.ts';

interface ResourceUpload {
  readonly model: string;
  /** Tag of the uploader. */
  readonly by: string;
  readonly username: string;
  readonly target: UploadTarget;
  readonly type: string;
  /** SHA-384 in hex that the client announced. */
  readonly fingerprint: string;
  /** Size that the client announced, if it did. */
  readonly size?: number;
  /** Maximum size of a file. */
  readonly maxBytes: number;
}

/**
 * Receives a resource's content into a file, checks it, and makes it the resource's. An upload that breaks leaves
 * nothing. Errors: `not valid` (checksum, size, image); `quota limit exceeded`; those of setResourceContent.
 */
export async function storeResource(
  { store, services }: { store: Store<Entities>; services: Pick<Services, 'blobs' | 'uploadsDir'> },
  body: NodeJS.ReadableStream,
  upload: ResourceUpload,
): Promise<ResourceDoc> {
  const { model, by, target, username } = upload;
  const folder = await mkdtemp(join(services.uploadsDir, 'upload-'));
  try {
    const file = join(folder, 'content');
    const received = await receive(body, file, upload);
    if (upload.type === 'oci-image') await checkImage(file);
    return await services.blobs
      .keep(async () => {
        await services.blobs.adopt(file, received.sha256);
        return store.change((tx) => setResourceContent(tx.in(model), target, { ...received, username }), by);
      })
      .catch((error: unknown) => {
        // Only a blob that was stored before has references.
        collectBlob({ store, services }, received.sha256);
        throw error;
      });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw new JujuError('', 'the content could not be stored: the disk of the controller is full', {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the body to a file, chunk by chunk, and compares it with what was announced. */
async function receive(
  body: NodeJS.ReadableStream,
  file: string,
  { type, fingerprint, size: announced, maxBytes }: ResourceUpload,
): Promise<Pick<ResourceDoc, 'fingerprint' | 'sha256' | 'size'>> {
  const sha256 = createHash('sha256');
  const sha384 = createHash('sha384');
  const limit = type === 'oci-image' ? limits.imageDetails : { ...limits.resourceFile, max: maxBytes };
  if (announced !== undefined) checkLimit(limit, announced);
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      try {
        checkLimit(limit, size);
      } catch (error) {
        done(error as Error);
        return;
      }
      sha256.update(chunk);
      sha384.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(body, measure, createWriteStream(file, { mode: 0o600 }));
  const actual = sha384.digest('hex');
  if (announced !== undefined && announced !== size)
    throw new JujuError('bad request', `size does not match: ${size} bytes received, ${announced} announced`);
  if (actual !== fingerprint)
    throw new JujuError('bad request', `fingerprint does not match: got ${actual}, expected ${fingerprint}`);
  return { fingerprint: actual, sha256: sha256.digest('hex'), size };
}

async function checkImage(file: string): Promise<void> {
  try {
    readImageDetails(readYamlValue(await readFile(file, 'utf8'), { dialect: 'juju' }));
  } catch (error) {
    if (error instanceof JujuError && error.code === 'not valid')
      throw new JujuError('bad request', error.message, { cause: error });
    throw error;
  }
}
