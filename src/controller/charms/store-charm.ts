import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CharmDoc } from '../../core/charm/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { receiveFile } from '../receive-file.ts';
import { collectBlob } from './collect-blob.ts';
import { addCharm } from '../transactions/begin/add-charm.ts';
import { readCharmArchive } from './read-charm-archive.ts';
import { repack } from './repack.ts';

/**
 * Stores a charm archive from `body` in the model. The archive is checked whole before anything is kept, and nothing is
 * left behind when it is refused. `check` may refuse it by its name and content.
 * Errors: `bad request`; as addCharm.
 */
export async function storeCharm(
  { store, services, limits }: { store: Store<Entities>; services: Services; limits: { charmBytes: number } },
  body: NodeJS.ReadableStream,
  options: {
    readonly model: string;
    readonly by: string;
    /** Revision that the uploader prefers; 0 = no preference. */
    readonly revision: number;
    readonly check: (sent: { name: string; sha256: string }) => void;
  },
): Promise<CharmDoc> {
  const folder = await mkdtemp(join(services.uploadsDir, 'upload-'));
  try {
    const sent = join(folder, 'sent.charm');
    const sha256 = await receiveFile(body, sent, {
      maxBytes: limits.charmBytes,
      description: 'charm archive',
    });
    const archive = await readCharmArchive(sent);
    options.check({ name: archive.charm.meta.name, sha256 });
    let kept = sent;
    if (archive.folder !== '') {
      kept = join(folder, 'repacked.charm');
      await repack({ from: sent, folder: archive.folder, to: kept });
    }
    let blob: { sha256: string; size: number } | undefined;
    try {
      return await services.blobs.keep(async () => {
        const put = await services.blobs.put(createReadStream(kept), kept === sent ? sha256 : undefined);
        blob = put;
        const revision = Math.max(options.revision, archive.revision);
        const { charm, version } = archive;
        return store.change(
          (tx) => addCharm(tx.in(options.model), { charm, version, ...put, revision }),
          options.by,
        );
      });
    } catch (error) {
      // Only a blob that was stored before has references.
      if (blob) collectBlob({ store, services }, blob.sha256);
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
