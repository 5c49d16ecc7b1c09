import type { CharmDoc } from '../../../core/charm/document.ts';
import { JujuError } from '../../../core/errors.ts';
import type { ParsedCharm } from '../../../core/charm/parse-charm.ts';
import { aliveModel, nextNumber, type Tx } from '../tx.ts';

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
  const revision = Math.max(args.revision, nextNumber(tx, sequence));
  tx.put('sequence', sequence, { name: sequence, next: revision + 1 });
  const url = `local:${name}-${revision}`;
  const doc: CharmDoc = { url, name, revision, sha256, size, version, ...charm, uploadedAt: tx.now };
  tx.put('charm', url, doc);
  return doc;
}

/**
 * Gives the model a charm again that it had; one that it has stays. Errors: `not found` (model), plain when the model
 * is dying; `already exists`: another charm has the URL.
 */
export function restoreCharm(tx: Tx, doc: CharmDoc): void {
  aliveModel(tx);
  const { url, sha256, name, revision } = doc;
  const has = tx.get('charm', url);
  if (has && has.sha256 !== sha256)
    throw new JujuError('already exists', `charm "${url}" is another one than it was`);
  if (has) return;
  // A restored controller may not know that the number was given.
  const sequence = `charm ${name}`;
  const next = Math.max(revision + 1, nextNumber(tx, sequence));
  tx.put('sequence', sequence, { name: sequence, next });
  tx.put('charm', url, doc);
}
