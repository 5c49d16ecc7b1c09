/** Rotation and expiry of secrets: what has become due, and what follows the hooks about it (secrets.md#rotation). */
import { askAgainMs, isDue, rotationAfterHook } from '../../../core/secret/rotate.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import { defined } from '../../../core/defined.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { SecretTime } from '../../../wire/facades/secret-changes.ts';
import { leaderOf } from './leadership.ts';
import { isOwn } from './secret-access.ts';
import { newestRevision } from '../shared/secrets.ts';
import type { Tx } from '../tx.ts';

/** Tells owners that the rotation of secrets is due; secrets that are not due any more are skipped. */
export function startRotations(tx: Tx, ids: readonly string[]): void {
  for (const id of ids) {
    const secret = tx.get('secret', id);
    const { nextRotate, rotating } = secret ?? {};
    if (
      !secret ||
      nextRotate === undefined ||
      rotating !== undefined ||
      !isDue(nextRotate, Date.parse(tx.now))
    )
      continue;
    tx.put('secret', id, { ...secret, rotating: nextRotate });
  }
}

/** Tells owners that revisions (`<secret>/<revision>`) have expired. */
export function startExpiries(tx: Tx, revisions: readonly string[]): void {
  for (const id of revisions) {
    const revision = tx.get('secret-revision', id);
    const { nextExpiry, expiring } = revision ?? {};
    if (
      !revision ||
      nextExpiry === undefined ||
      expiring !== undefined ||
      !isDue(nextExpiry, Date.parse(tx.now))
    )
      continue;
    tx.put('secret-revision', id, { ...revision, expiring: nextExpiry });
  }
}

/**
 * Records that the owner's hook has run, and when the next is due. Nothing is recorded for a unit that is not
 * responsible for the secret any more: the responsible one will be told again.
 */
export function recordSecretHook(
  tx: Tx,
  unit: UnitDoc,
  { kind, secret: id, revision, due }: SecretTime,
): void {
  const secret = tx.get('secret', id);
  if (!secret || !isOwn(secret, unit)) return;
  if (secret.owner.kind === 'application' && leaderOf(tx, unit.application, tx.now) !== unit.name) return;
  if (kind === 'expired') {
    const doc = tx.get('secret-revision', secretRevisionId({ secret: id, revision }));
    if (doc?.expiring !== due) return;
    const { expiring: _, ...rest } = doc;
    tx.put('secret-revision', secretRevisionId(doc), { ...rest, nextExpiry: later(due, tx.now) });
    return;
  }
  if (secret.rotating !== due) return;
  const { rotating: _, nextRotate: _next, ...rest } = secret;
  const nextRotate = rotationAfterHook({
    policy: secret.rotate,
    due,
    now: tx.now,
    hasNewRevision: secret.latest > revision,
    expires: newestRevision(tx, id)?.expires,
  });
  tx.put('secret', id, { ...rest, ...defined({ nextRotate }) });
}

function later(due: string, now: string): string {
  return new Date(Math.max(Date.parse(due), Date.parse(now)) + askAgainMs).toISOString();
}
