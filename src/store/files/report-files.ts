import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Sizes of the files beside the store, in bytes. */
export interface FilesReport {
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** Size of each model's log. */
  readonly logs: readonly { readonly model: string; readonly bytes: number }[];
}

/** Measures the folders of openFileBlobs and openFileLogs. Files that are removed meanwhile count as 0 bytes. */
export async function reportFiles(folders: { blobs: string; logs: string }): Promise<FilesReport> {
  const models = await readdir(folders.logs).catch(() => []);
  return {
    blobs: await sizeOf(folders.blobs),
    logs: await Promise.all(
      models.map(async (model) => ({ model, bytes: (await sizeOf(join(folders.logs, model))).bytes })),
    ),
  };
}

async function sizeOf(folder: string): Promise<{ count: number; bytes: number }> {
  let count = 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    count++;
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return { count, bytes };
}
