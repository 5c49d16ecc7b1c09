import type { Tx } from '../controller/transactions/tx.ts';
import { parseMetadata } from '../core/charm/metadata.ts';

/** Uploads a local charm, revision 0, with this metadata. */
export function upload(tx: Tx, name: string, meta: Readonly<Record<string, unknown>>): string {
  const url = `local:${name}-0`;
  tx.put('charm', url, {
    url,
    name,
    revision: 0,
    sha256: name.padEnd(64, '0'),
    size: 1,
    version: '',
    meta: parseMetadata({ name, summary: name, description: name, ...meta }),
    config: {},
    actions: {},
    bases: [{ name: 'ubuntu', channel: '24.04/stable' }],
    uploadedAt: tx.now,
  });
  return url;
}
