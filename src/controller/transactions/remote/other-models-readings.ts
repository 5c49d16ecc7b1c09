/** Readings of secrets over relations with other models (secrets.md#over-offers): both sides of each. */
import { defined } from '../../../core/defined.ts';
import { notFound, notValid, permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { tellerOf } from '../../../core/relation/told-by.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import { secretConsumerId, type SecretConsumerDoc } from '../../../core/secret-consumer/document.ts';
import { secretGrantId } from '../../../core/secret-grant/document.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { checkConsumerLabel } from '../agent/secret-access.ts';
import { mustGetSecret, newestRevision, secretNotFound, settleRevision } from '../shared/secrets.ts';
import type { Tx, View } from '../tx.ts';

/** Reading that a unit of a consuming model asks for. */
export interface OtherReading {
  readonly id: string;
  /** Token of the unit's application. */
  readonly applicationToken: string;
  /** Number of the unit. */
  readonly unit: number;
  /** Revision that the unit tracks; absent with peek, with refresh, and the first time. */
  readonly revision?: number;
  readonly peek: boolean;
  readonly refresh: boolean;
}

/** Revision that a reader in another model gets, and what the owner's side then knows of the reader. */
interface OtherFound {
  readonly revision: number;
  readonly latest: number;
  /** Absent when the owner's side knows already what the unit tracks. */
  readonly tracked?: SecretConsumerDoc;
}

/** Name by which an offering model has an application of another one. */
export function proxyName(applicationToken: string): string {
  return `remote-${applicationToken.replaceAll('-', '')}`;
}

/**
 * Finds the relation by which an application of another model may read a secret. Errors: `not found`; `unauthorized
 * access` without a grant, and while the relation is suspended.
 */
export function scopeOfReading(
  view: View,
  { id, applicationToken }: Pick<OtherReading, 'id' | 'applicationToken'>,
): RelationDoc & { readonly remote: NonNullable<RelationDoc['remote']> } {
  const application = proxyName(applicationToken);
  // A caller without a relation learns nothing, not even whether the secret exists.
  if (!view.get('remote-application', application)) throw permissionDenied();
  mustGetSecret(view, id);
  const grant = view.get(
    'secret-grant',
    secretGrantId({ secret: id, subject: { kind: 'application', id: application } }),
  );
  const relation = grant && view.get('relation', grant.relation);
  if (!relation?.remote?.offered || relation.life === 'dead' || relation.suspended) throw permissionDenied();
  return { ...relation, remote: relation.remote };
}

/** Finds the revision of a reading, on the owner's side. Errors: `not found`, `unauthorized access`, `not valid`. */
export function findForOther(view: View, reading: OtherReading): OtherFound {
  const { id, revision, peek, refresh } = reading;
  const relation = scopeOfReading(view, reading);
  if (!Number.isInteger(reading.unit) || reading.unit < 0) throw notValid(`unit ${reading.unit} not valid`);
  checkLimit(limits.remoteUnitNumber, reading.unit);
  const newest = newestRevision(view, id);
  if (!newest) throw secretNotFound(id);
  const latest = newest.revision;
  if (peek) return { revision: latest, latest };
  const unit = `${relation.remote.application}/${reading.unit}`;
  const old = view.get('secret-consumer', secretConsumerId({ secret: id, unit }));
  // The revision that the unit claims to track counts: its model may not have received the last answer.
  const current = refresh ? latest : (revision ?? old?.current ?? latest);
  if (!view.get('secret-revision', secretRevisionId({ secret: id, revision: current })))
    throw notFound('secret', `secret:${id}/${current}`);
  const tracked = {
    secret: id,
    unit,
    current,
    label: '',
    relation: String(relation.id),
    ...defined({ toldBy: tellerOf(relation) }),
  };
  const isKnown = old?.current === current && old.relation === tracked.relation;
  return { revision: current, latest, ...defined({ tracked: isKnown ? undefined : tracked }) };
}

/** Records, on the owner's side, what a unit of another model tracks. Errors: as findForOther. */
export function trackForOther(tx: Tx, reading: OtherReading): OtherFound {
  const found = findForOther(tx, reading);
  if (!found.tracked) return found;
  const id = secretConsumerId(found.tracked);
  const old = tx.get('secret-consumer', id);
  tx.put('secret-consumer', id, found.tracked);
  if (old) settleRevision(tx, reading.id, old.current);
  settleRevision(tx, reading.id, found.revision);
  return found;
}

/** The secret of another model that a unit knows by a label. */
export function otherByLabel(view: View, unit: string, label: string): SecretConsumerDoc | undefined {
  const [consumer] = view.find('secret-consumer', 'label', `${unit} ${label}`);
  return consumer?.latest === undefined ? undefined : consumer;
}

/**
 * Records, on the reader's side, what a unit tracks of another model's secret. Errors: `not found` when the relation
 * has ended meanwhile; `already exists` for a label that is taken.
 */
export function trackOfOther(
  tx: Tx,
  unit: UnitDoc,
  read: Required<Pick<SecretConsumerDoc, 'secret' | 'current' | 'label' | 'relation' | 'latest'>>,
): void {
  const relation = tx.get('relation', read.relation);
  if (!relation || relation.life === 'dead') throw secretNotFound(read.secret);
  const id = secretConsumerId({ secret: read.secret, unit: unit.name });
  const old = tx.get('secret-consumer', id);
  if (read.label !== '' && read.label !== old?.label)
    checkConsumerLabel(tx, { unit, secret: { id: read.secret }, label: read.label });
  const label = read.label || (old?.label ?? '');
  const next = { ...old, ...read, unit: unit.name, label, latest: Math.max(read.latest, old?.latest ?? 0) };
  const isKnown = (['current', 'label', 'relation', 'latest'] as const).every(
    (key) => old?.[key] === next[key],
  );
  if (!isKnown) tx.put('secret-consumer', id, next);
}

/** Records, on the reader's side, the newest revision of another model's secret for some of the units that read it. */
export function hearRevision(tx: Tx, ids: readonly string[], latest: number): void {
  for (const id of ids) {
    const consumer = tx.get('secret-consumer', id);
    if (consumer?.latest !== undefined && consumer.latest < latest)
      tx.put('secret-consumer', id, { ...consumer, latest });
  }
}

/** Secrets that the other side of a relation reads, with their newest revisions. `only`: limits them to these. */
export function readByOther(
  view: View,
  relation: string,
  only?: Iterable<string>,
): { readonly id: string; readonly revision: number }[] {
  const all = only ?? [...view.find('secret-consumer', 'relation', relation)].map(({ secret }) => secret);
  return [...new Set(all)].flatMap((id) => {
    const latest = view.get('secret', id)?.latest;
    return latest === undefined ? [] : [{ id, revision: latest }];
  });
}
