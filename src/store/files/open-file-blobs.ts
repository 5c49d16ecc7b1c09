import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JujuError, notFound } from '../../core/errors.ts';
import { BlobKeeper } from '../blob-keeper.ts';
import type { BlobStore } from '../blobs.ts';
import { makeFolderSync } from '../../kit/make-folder.ts';

/**
 * Opens blobs as files: `<folder>/<first two digits>/<sha256>`, written beside and renamed when they are complete and
 * durable. The folder is created when it does not exist, readable by its owner only. Errors: `not valid` from put
 * when the content has another checksum than was given; `not found` from read and readPart.
 */
export function openFileBlobs(folder: string): BlobStore {
  const incoming = join(folder, 'incoming');
  // Uploads that a crash interrupted.
  rmSync(incoming, { recursive: true, force: true });
  makeFolderSync(incoming, 0o700);
  let uploads = 0;

  const place = (sha256: string): string | undefined =>
    /^[0-9a-f]{64}$/.test(sha256) ? join(folder, sha256.slice(0, 2), sha256) : undefined;

  const path = (sha256: string): string | undefined => {
    const file = place(sha256);
    return file !== undefined && existsSync(file) ? file : undefined;
  };

  const keeper = new BlobKeeper((sha256) => {
    const file = place(sha256);
    if (file !== undefined) rmSync(file, { force: true });
  });

  return {
    async put(content, expected) {
      const upload = join(incoming, String(++uploads));
      try {
        const { sha256, size } = await write(upload, content);
        if (expected !== undefined && expected.toLowerCase() !== sha256) {
          throw new JujuError('not valid', `checksum mismatch: expected ${expected}, got ${sha256}`);
        }
        if (path(sha256) === undefined) await publish(upload, folder, sha256);
        return { sha256, size };
      } finally {
        await rm(upload, { force: true });
      }
    },
    async adopt(file, sha256) {
      if (place(sha256) === undefined) throw new JujuError('not valid', `"${sha256}" is no SHA-256`);
      if (path(sha256) !== undefined) return;
      const content = await open(file, 'r');
      try {
        await content.sync();
      } finally {
        await content.close();
      }
      await publish(file, folder, sha256);
    },
    path,
    async read(sha256) {
      const file = path(sha256);
      if (file === undefined) throw notFound('blob', sha256);
      return readFile(file);
    },
    async readPart(sha256, offset, length) {
      const file = path(sha256);
      if (file === undefined) throw notFound('blob', sha256);
      await using opened = await open(file, 'r');
      const part = Buffer.alloc(length);
      let size = 0;
      for (let read = -1; read !== 0 && size < length; size += read)
        read = (await opened.read(part, size, length - size, offset + size)).bytesRead;
      return part.subarray(0, size);
    },
    async list() {
      const found: string[] = [];
      for (const part of await readdir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue;
        for (const name of await readdir(join(folder, part)))
          if (place(name) === join(folder, part, name)) found.push(name);
      }
      return found;
    },
    keep: (fn) => keeper.keep(fn),
    remove: (sha256, isUsed) => keeper.remove(sha256, isUsed),
  };
}

async function write(
  path: string,
  content: Buffer | NodeJS.ReadableStream,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      hash.update(bytes);
      size += bytes.length;
      await file.writeFile(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), size };
}

/** Renames the upload to its place and syncs the folders that name it; the blob is durable only then. */
async function publish(upload: string, folder: string, sha256: string): Promise<void> {
  const parent = join(folder, sha256.slice(0, 2));
  const isNew = !existsSync(parent);
  makeFolderSync(parent, 0o700);
  await rename(upload, join(parent, sha256));
  await syncFolder(parent);
  if (isNew) await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
