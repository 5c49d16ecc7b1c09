import type { RelationDoc } from '../../../core/relation/document.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import type { OfferDoc } from '../../../core/offer/document.ts';
import { ownerKey } from '../../../core/secret/document.ts';
import { scopeId } from '../../../core/scope/document.ts';
import { settingsId } from '../../../core/settings/document.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { dropResources } from '../shared/resources.ts';
import { forgetControllerIfUnused } from '../shared/external-controllers.ts';
import { removeCharmIfUnused } from './remove-charm.ts';
import { relationTag } from '../../../wire/tags.ts';
import { forgetReading, ofSubjectAtOnceMax, removeGrants, removeSecretsOf } from '../shared/secrets.ts';
import { removeStatuses, type Tx } from '../tx.ts';

/**
 * Maximum number of databags, of grants of secrets and of readings of other models' secrets, removed with their
 * relation; a relation with more is dead until the cleaner has removed them in batches.
 */
const databagsAtOnceMax = 200;

/**
 * Removes a dying application that nothing refers to, with its empty relations, and with these the dying applications
 * that nothing else refers to. The application is dead as long as one of the relations is, or very many secrets are
 * left. Returns true when it is removed.
 */
export function removeApplicationIfUnreferenced(tx: Tx, name: string): boolean {
  const application = tx.get('application', name);
  if (!application) {
    removeRemoteApplicationIfUnused(tx, name);
    return true;
  }
  if (application.life === 'alive' || isImpeded({ kind: 'application', id: name }, tx)) return false;

  const relations = [...tx.find('relation', 'application', name)];
  for (const relation of relations) dropRelation(tx, String(relation.id));
  if (tx.count('relation', 'application', name) > 0) {
    tx.put('application', name, { ...application, life: 'dead' });
    return false;
  }
  const secretOwner = { kind: 'application', id: name } as const;
  const key = ownerKey(secretOwner);
  const secrets = Math.max(tx.count('secret', 'owner', key), tx.count('secret-grant', 'subject', key));
  // The application stays dead until the cleaner has removed its secrets and grants.
  if (secrets > ofSubjectAtOnceMax) {
    tx.put('application', name, { ...application, life: 'dead' });
    removeOthers(tx, name, relations);
    return false;
  }
  removeSecretsOf(tx, secretOwner);
  removeStatuses(tx, name, ['application']);
  removeOffersOf(tx, name);
  dropResources(tx, name);
  tx.remove('lease', name);
  tx.remove('leader-settings', name);
  tx.remove('annotation', `application-${name}`);
  tx.remove('application', name);
  for (const url of [application.charmUrl, ...Object.keys(application.older ?? {})])
    removeCharmIfUnused(tx, url);
  removeOthers(tx, name, relations);
  return true;
}

/** Removes an application of another model that no relation needs any more, and that was not asked to stay. */
export function removeRemoteApplicationIfUnused(tx: Tx, name: string): void {
  const remote = tx.get('remote-application', name);
  if (!remote || (remote.saas && !remote.ending)) return;
  if (tx.count('relation', 'application', name) > 0) return;
  tx.remove('remote-application', name);
  forgetControllerIfUnused(tx, remote.saas?.elsewhere?.controller);
}

/** Removes the application's offers, with the access that was granted to them. */
export function removeOffersOf(tx: Tx, application: string): void {
  for (const offer of tx.find('offer', 'application', application)) removeOffer(tx, offer);
}

/** Removes an offer. Relations that remain of it do not count as connections of a later offer of its name. */
export function removeOffer(tx: Tx, offer: OfferDoc): void {
  const root = tx.in('');
  for (const access of root.find('offer-access', 'offer', offer.uuid))
    root.remove('offer-access', offerAccessId(access));
  for (const relation of tx.find('relation', 'offer', offer.name)) {
    const { remote } = relation;
    if (!remote?.offered) continue;
    const offered = { ...remote.offered, offer: '' };
    tx.put('relation', String(relation.id), { ...relation, remote: { ...remote, offered } });
  }
  tx.remove('offer', offer.name);
}

/** Removes the dying applications on the other sides of relations that are gone. */
function removeOthers(tx: Tx, name: string, relations: readonly RelationDoc[]): void {
  for (const { endpoints } of relations)
    for (const other of endpoints)
      if (other.application !== name) removeApplicationIfUnreferenced(tx, other.application);
}

/** Removes the given databags of a dead relation. */
export function removeDatabags(
  tx: Tx,
  args: { readonly relation: string; readonly owners: readonly string[] },
): void {
  for (const owner of args.owners) removeDatabag(tx, { relation: args.relation, owner });
}

/** Removes a databag, with the place of its unit when that is of another model: no agent here would remove that. */
function removeDatabag(tx: Tx, id: { readonly relation: string; readonly owner: string }): void {
  tx.remove('settings', settingsId(id));
  tx.remove('scope', scopeId({ relation: id.relation, unit: id.owner }));
}

/**
 * Removes the relation with its databags and the grants that end with it; a relation with very many is made dead, and
 * the cleaner removes these, then the record.
 */
export function dropRelation(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation) return;
  const most = Math.max(
    tx.count('settings', 'relation', id),
    tx.count('secret-grant', 'relation', id),
    tx.count('secret-consumer', 'relation', id),
  );
  if (most > databagsAtOnceMax) {
    tx.put('relation', id, { ...relation, life: 'dead', dyingSince: relation.dyingSince ?? tx.now });
    return;
  }
  for (const settings of tx.find('settings', 'relation', id)) removeDatabag(tx, settings);
  removeGrants(tx, tx.find('secret-grant', 'relation', id));
  for (const reading of tx.find('secret-consumer', 'relation', id)) forgetReading(tx, reading);
  removeStatuses(tx, id, ['relation']);
  tx.remove('annotation', relationTag(relation.key));
  tx.remove('relation', id);
}
