/** Records of what units were told of secrets, which is not told again (secrets.md#hooks). */
import { secretConsumerId } from '../../../core/secret-consumer/document.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { SecretTold } from '../../../wire/facades/secret-changes.ts';
import { isOwn } from './secret-access.ts';
import type { Tx } from '../tx.ts';

/**
 * Records that a unit was told of a revision. A secret that is gone by now, or not the unit's concern any more, is
 * skipped.
 */
export function recordTold(tx: Tx, unit: UnitDoc, { kind, secret: id, revision }: SecretTold): void {
  if (kind === 'changed') {
    const consumer = tx.get('secret-consumer', secretConsumerId({ secret: id, unit: unit.name }));
    if (consumer && revision > Math.max(consumer.current, consumer.told ?? 0))
      tx.put('secret-consumer', secretConsumerId(consumer), { ...consumer, told: revision });
    return;
  }
  const secret = tx.get('secret', id);
  const doc = tx.get('secret-revision', secretRevisionId({ secret: id, revision }));
  if (!secret || !doc?.obsolete || doc.told === unit.name || !isOwn(secret, unit)) return;
  tx.put('secret-revision', secretRevisionId(doc), { ...doc, told: unit.name });
}

/** Forgets what a unit was told, which its charm has lost with its machine: the next charm is told again. */
export function forgetTold(tx: Tx, unit: string): void {
  for (const { told, ...consumer } of tx.find('secret-consumer', 'unit', unit))
    if (told !== undefined) tx.put('secret-consumer', secretConsumerId(consumer), consumer);
  for (const { told: _, ...revision } of tx.find('secret-revision', 'told', unit))
    tx.put('secret-revision', secretRevisionId(revision), revision);
}
