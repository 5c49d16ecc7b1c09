/** Rights to read and change a secret, and the revision that a unit reads (secrets.md#rights, secrets.md#tracking). */
import type { SecretDoc } from '../../../core/secret/document.ts';
import { secretConsumerId } from '../../../core/secret-consumer/document.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import {
  secretGrantId,
  type SecretGrantDoc,
  type SecretSubject,
} from '../../../core/secret-grant/document.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import { JujuError, notFound, permissionDenied } from '../../../core/errors.ts';
import { unitApplication } from '../../../core/names.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { leaderOf } from './leadership.ts';
import { checkLabel, newestRevision, settleRevision, updateSecret } from '../shared/secrets.ts';
import type { Tx, View } from '../tx.ts';

/** Whether the unit, or its application, owns the secret. */
export function isOwn({ owner }: SecretDoc, unit: Pick<UnitDoc, 'name' | 'application'>): boolean {
  return owner.kind === 'unit'
    ? owner.id === unit.name
    : owner.kind === 'application' && owner.id === unit.application;
}

export function mayRead(view: View, secret: SecretDoc, unit: UnitDoc): boolean {
  const granted = (subject: SecretSubject): boolean => {
    const grant = view.get('secret-grant', secretGrantId({ secret: secret.id, subject }));
    // The very many grants of a relation that is gone are removed after it, some at a time.
    return grant !== undefined && (grant.relation === '' || isThere(view.get('relation', grant.relation)));
  };
  return (
    isOwn(secret, unit) ||
    granted({ kind: 'application', id: unit.application }) ||
    granted({ kind: 'unit', id: unit.name })
  );
}

function isThere(relation: RelationDoc | undefined): boolean {
  return relation !== undefined && relation.life !== 'dead';
}

/**
 * Requires that a unit may change a secret. Errors: `unauthorized access` for what is not the unit's own; `not leader`
 * for its application's when it does not lead.
 */
export function assertManages(tx: Tx, secret: SecretDoc, unit: UnitDoc): void {
  if (!isOwn(secret, unit)) throw permissionDenied();
  if (secret.owner.kind === 'application') assertLeads(tx, unit);
}

export function assertLeads(tx: Tx, unit: UnitDoc): void {
  if (leaderOf(tx, unit.application, tx.now) !== unit.name)
    throw new JujuError('not leader', 'this unit is not the leader');
}

/** The secret that a unit knows by a label: its own, its application's, or one that it reads. Errors: `not found`. */
export function secretByLabel(view: View, unit: UnitDoc, label: string): SecretDoc {
  const [own] = view.find('secret', 'label', `unit ${unit.name} ${label}`);
  const [ofApplication] = view.find('secret', 'label', `application ${unit.application} ${label}`);
  if (own ?? ofApplication) return (own ?? ofApplication)!;
  const [consumer] = view.find('secret-consumer', 'label', `${unit.name} ${label}`);
  const found = consumer && view.get('secret', consumer.secret);
  if (!found) throw notFound('consumer label', label);
  return found;
}

interface Reading {
  readonly unit: UnitDoc;
  readonly secret: SecretDoc;
  /** The label that the unit gives the secret; '' = none. */
  readonly label: string;
  readonly peek: boolean;
  readonly refresh: boolean;
}

/** Revision that a reading returns, with the key of its content. */
export interface Found {
  readonly revision: number;
  readonly content: string;
}

/** Result of a reading that changes nothing; else undefined. Errors: as trackSecret. */
export function readTracked(view: View, reading: Reading): Found | undefined {
  const { unit, secret, label, peek, refresh } = reading;
  if (!mayRead(view, secret, unit)) throw permissionDenied();
  const newest = newestRevision(view, secret.id);
  if (!newest) throw notFound('secret', `secret:${secret.id}`);
  const consumer = view.get('secret-consumer', secretConsumerId({ secret: secret.id, unit: unit.name }));
  const isLabelled = label === '' || label === (isOwn(secret, unit) ? secret.label : (consumer?.label ?? ''));
  if (!isLabelled) return undefined;
  if (peek) return newest;
  if (!consumer || (refresh && consumer.current !== newest.revision)) return undefined;
  const tracked = view.get(
    'secret-revision',
    secretRevisionId({ secret: secret.id, revision: consumer.current }),
  );
  if (!tracked) throw notFound('secret', `secret:${secret.id}/${consumer.current}`);
  return tracked;
}

/**
 * Reads a secret for a unit: the first reading, and one with `refresh`, makes the unit track the newest revision; a
 * label is remembered. Errors: `unauthorized access`, `not found`, `already exists` for a label that is taken.
 */
export function trackSecret(tx: Tx, reading: Reading): Found {
  const { unit, secret, label, peek, refresh } = reading;
  if (!mayRead(tx, secret, unit)) throw permissionDenied();
  const newest = newestRevision(tx, secret.id);
  if (!newest) throw notFound('secret', `secret:${secret.id}`);
  if (label !== '' && isOwn(secret, unit)) rename(tx, reading);
  const id = secretConsumerId({ secret: secret.id, unit: unit.name });
  const old = tx.get('secret-consumer', id);
  const ownLabel = label === '' || isOwn(secret, unit) ? (old?.label ?? '') : label;
  if (ownLabel !== (old?.label ?? '')) checkConsumerLabel(tx, reading);
  const current = old && !refresh ? old.current : newest.revision;
  if (peek && !old && ownLabel === '') return newest;
  if (!old || old.current !== current || old.label !== ownLabel) {
    tx.put('secret-consumer', id, { ...old, secret: secret.id, unit: unit.name, current, label: ownLabel });
    if (old && old.current !== current) settleRevision(tx, secret.id, old.current);
    settleRevision(tx, secret.id, current);
  }
  if (peek) return newest;
  const tracked = tx.get('secret-revision', secretRevisionId({ secret: secret.id, revision: current }));
  if (!tracked) throw notFound('secret', `secret:${secret.id}/${current}`);
  return tracked;
}

/** Renames the secret, for an owner's `secret-get --label`; that of a unit that does not lead changes nothing. */
function rename(tx: Tx, { unit, secret, label }: Reading): void {
  if (secret.owner.kind === 'application' && leaderOf(tx, unit.application, tx.now) !== unit.name) return;
  updateSecret(tx, secret, { label });
}

/** A unit's own label is for one secret only, among those that it reads and those that it and its application own. */
export function checkConsumerLabel(
  tx: Tx,
  { unit, secret, label }: Pick<Reading, 'unit' | 'label'> & { readonly secret: Pick<SecretDoc, 'id'> },
): void {
  checkLabel(tx, { kind: 'unit', id: unit.name }, label, secret.id);
}

/**
 * Lets an application or a unit read a secret for as long as a relation lasts ('' = until it is revoked). A wider grant
 * that is there already covers it. Errors: '' when there is a grant for another relation, or when units of the
 * application have grants of their own.
 */
export function grantSecret(tx: Tx, grant: SecretGrantDoc): void {
  const { secret, subject, relation } = grant;
  const existing = tx.get('secret-grant', secretGrantId(grant));
  const lasts =
    existing && (existing.relation === '' || tx.get('relation', existing.relation)?.life === 'alive');
  if (lasts && existing.relation !== relation)
    throw new JujuError('', 'cannot change secret permission scope');
  if (existing?.relation === relation) return;
  if (subject.kind === 'unit') {
    const application = { kind: 'application', id: unitApplication(subject.id) } as const;
    if (tx.get('secret-grant', secretGrantId({ secret, subject: application }))) return;
  } else {
    for (const other of tx.find('secret-grant', 'secret', secret))
      if (other.subject.kind === 'unit' && unitApplication(other.subject.id) === subject.id)
        throw new JujuError(
          '',
          'any unit level grants need to be revoked before granting access to the corresponding application',
        );
  }
  tx.put('secret-grant', secretGrantId(grant), grant);
}

/** Takes a grant back; a missing grant is ignored. */
export function revokeSecret(tx: Tx, grant: Pick<SecretGrantDoc, 'secret' | 'subject'>): void {
  tx.remove('secret-grant', secretGrantId(grant));
}
