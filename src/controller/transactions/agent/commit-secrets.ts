import { defined } from '../../../core/defined.ts';
import { JujuError, notValid, permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { parseExpiry } from '../../../core/secret/rotate.ts';
import { isSecretId } from '../../../core/secret/secret-id.ts';
import { checkContent, type SecretContent } from '../../../core/secret/content.ts';
import type { SecretSubject } from '../../../core/secret-grant/document.ts';
import { unitApplication } from '../../../core/names.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { SecretChanges } from '../../../wire/facades/secret-changes.ts';
import {
  assertLeads,
  assertManages,
  grantSecret,
  mayRead,
  revokeSecret,
  trackSecret,
} from './secret-access.ts';
import {
  createSecret,
  mustGetSecret,
  newestRevision,
  removeSecret,
  updateSecret,
  type SecretChange,
} from '../shared/secrets.ts';
import type { Tx } from '../tx.ts';

/** Contents that a hook brings: they are stored already, and can be referred to. */
export interface NewContents {
  /** Key under which the new content of a secret is stored. */
  readonly keyOf: (secret: string) => string | undefined;
  /** Whether a stored content is the same. */
  readonly isSame: (key: string, content: SecretContent) => boolean;
}

/**
 * Checks what can be checked before any content is stored, to spare a backend elsewhere needless requests. Errors:
 * `quota limit exceeded`; `not valid` for ids and contents.
 */
export function checkSecretChanges(changes: SecretChanges): void {
  const lists = Object.values(changes) as readonly unknown[][];
  checkLimit(
    limits.secretsOfHook,
    lists.reduce((sum, list) => sum + list.length, 0),
  );
  for (const { id, content } of [...changes.create, ...changes.update]) {
    if (!isSecretId(id)) throw notValid(`secret id ${JSON.stringify(id.slice(0, 100))} not valid`);
    if (content !== undefined) checkContent(content);
  }
}

/**
 * Commits what a hook did with secrets, in the order of the lists. Errors: `unauthorized access` for secrets that are
 * not the unit's own, `not leader`, `not found`, `already exists`, '' for grants that do not fit.
 */
export function commitSecrets(tx: Tx, unit: UnitDoc, changes: SecretChanges, contents: NewContents): void {
  for (const { id, owner, content: _, ...settings } of changes.create) {
    if (owner === 'application') assertLeads(tx, unit);
    createSecret(tx, {
      id,
      owner: { kind: owner, id: owner === 'application' ? unit.application : unit.name },
      content: stored(contents, id),
      ...changeOf(tx, settings),
    });
  }
  for (const { id, content, ...settings } of changes.update) {
    const secret = mustGetSecret(tx, id);
    assertManages(tx, secret, unit);
    const newest = newestRevision(tx, id);
    const isNew = content !== undefined && !(newest && contents.isSame(newest.content, content));
    updateSecret(tx, secret, {
      ...changeOf(tx, settings),
      ...defined({ content: isNew ? stored(contents, id) : undefined }),
    });
  }
  for (const id of changes.track) {
    const secret = tx.get('secret', id);
    // A secret that was removed or revoked while the hook ran is not tracked; the rest of the commit counts.
    if (!secret || !mayRead(tx, secret, unit)) continue;
    trackSecret(tx, { unit, secret, label: '', peek: false, refresh: true });
  }
  for (const { id, subject, relation } of changes.grant) {
    assertManages(tx, mustGetSecret(tx, id), unit);
    if (!isGrantable(tx, unit, subject, String(relation))) continue;
    grantSecret(tx, { secret: id, subject, relation: String(relation) });
  }
  for (const { id, subject } of changes.revoke) {
    assertManages(tx, mustGetSecret(tx, id), unit);
    revokeSecret(tx, { secret: id, subject });
  }
  for (const { id, revision } of changes.remove) {
    assertManages(tx, mustGetSecret(tx, id), unit);
    removeSecret(tx, id, revision === undefined ? [] : [revision]);
  }
}

function stored(contents: NewContents, id: string): string {
  const key = contents.keyOf(id);
  if (key === undefined) throw new Error('the content of a secret was not stored');
  return key;
}

function changeOf(
  tx: Tx,
  { expire, ...settings }: Omit<SecretChanges['update'][number], 'id' | 'content'>,
): SecretChange {
  return { ...settings, ...defined({ expires: parseExpiry(expire ?? '', tx.now) }) };
}

/**
 * Whether an application of another model can get the grant. Errors: `not supported` for one whose offer this model
 * consumes, and for units (secrets.md#over-offers).
 */
function isProxy({ life, remote }: RelationDoc, subject: SecretSubject): boolean {
  if (!remote?.offered)
    throw new JujuError(
      'not supported',
      'sharing consumer secrets across a cross model relation not supported',
    );
  if (subject.kind === 'unit')
    throw new JujuError('not supported', 'sharing a secret with one unit of another model not supported');
  return life === 'alive';
}

/**
 * Whether both ends of a grant are alive (secrets.md#grants-left-out). Errors: `unauthorized access` when the subject
 * is not on the other side of one of the unit's relations.
 */
function isGrantable(tx: Tx, unit: UnitDoc, subject: SecretSubject, relation: string): boolean {
  const scope = tx.get('relation', relation);
  const application = subject.kind === 'unit' ? unitApplication(subject.id) : subject.id;
  if (!scope) return false;
  const sides = scope.endpoints.map((endpoint) => endpoint.application);
  if (application === scope.remote?.application && sides.includes(unit.application))
    return isProxy(scope, subject);
  if (tx.get(subject.kind, subject.id) === undefined) return false;
  const isRemote = sides.length === 1 ? application === unit.application : application !== unit.application;
  if (!sides.includes(unit.application) || !sides.includes(application) || !isRemote)
    throw permissionDenied();
  return scope.life === 'alive' && tx.get(subject.kind, subject.id)?.life === 'alive';
}
