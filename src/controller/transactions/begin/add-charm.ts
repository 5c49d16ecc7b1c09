import type { CharmDoc } from '../../../core/charm/document.ts';
import type { ParsedCharm } from '../../../core/charm/parse-charm.ts';
import { aliveModel, type Tx } from '../tx.ts';

/**
 * Gives an uploaded charm the next free revision of its name in the model, or `revision` when that is higher than all
 * used ones. Uploading the same archive again creates another revision, as in Juju.
 * Errors: `not found` (model), plain when the model is dying.
 */
export function addCharm(
  tx: Tx,
  args: {
    charm: ParsedCharm;
    /** First line of the charm's `version` file. */
    version: string;
    sha256: string;
    size: number;
    /** Revision that the uploader prefers; 0 = no preference. */
    revision: number;
  },
): CharmDoc {
  aliveModel(tx);
  const { charm, version, sha256, size } = args;
  const { name } = charm.meta;
  const sequence = `charm ${name}`;
  const revision = Math.max(args.revision, tx.get('sequence', sequence)?.next ?? 0);
  tx.put('sequence', sequence, { name: sequence, next: revision + 1 });
  const url = `local:${name}-${revision}`;
  const doc: CharmDoc = { url, name, revision, sha256, size, version, ...charm, uploadedAt: tx.now };
  tx.put('charm', url, doc);
  return doc;
}
