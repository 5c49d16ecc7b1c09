import type { RelationDoc } from '../../../core/relation/document.ts';
import { ownerKey } from '../../../core/secret/document.ts';
import { settingsId } from '../../../core/settings/document.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { dropResources } from '../resources.ts';
import { removeCharmIfUnused } from './remove-charm.ts';
import { relationTag } from '../../../wire/tags.ts';
import { removeGrantsOfRelation, removeSecretsOf } from '../secrets.ts';
import { removeStatuses, type Tx } from '../tx.ts';

/**
 * Maximum number of databags removed with their relation; a relation with more is dead until the cleaner has removed
 * them in batches.
 */
const databagsAtOnceMax = 200;
/** Maximum number of secrets removed with their application; with more it is dead until the cleaner has removed them. */
const secretsAtOnceMax = 200;

/**
 * Removes a dying application that nothing refers to, with its empty relations, and with these the dying applications
 * that nothing else refers to. The application is dead as long as one of the relations is, or very many secrets are left.
 * Returns true when it is removed.
 */
export function removeApplicationIfUnreferenced(tx: Tx, name: string): boolean {
  const application = tx.get('application', name);
  if (!application) return true;
  if (application.life === 'alive' || isImpeded({ kind: 'application', id: name }, tx)) return false;

  const relations = [...tx.find('relation', 'application', name)];
  for (const relation of relations) dropRelation(tx, String(relation.id));
  if (tx.count('relation', 'application', name) > 0) {
    tx.put('application', name, { ...application, life: 'dead' });
    return false;
  }
  const secretOwner = { kind: 'application', id: name } as const;
  if (tx.count('secret', 'owner', ownerKey(secretOwner)) > secretsAtOnceMax) {
    tx.put('application', name, { ...application, life: 'dead' });
    removeOthers(tx, name, relations);
    return false;
  }
  removeSecretsOf(tx, secretOwner);
  removeStatuses(tx, name, ['application']);
  for (const offer of tx.find('offer', 'application', name)) tx.remove('offer', offer.name);
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
  for (const owner of args.owners) tx.remove('settings', settingsId({ relation: args.relation, owner }));
}

/**
 * Removes the relation with its databags; one with very many is made dead, and the cleaner removes the databags, then
 * the record.
 */
export function dropRelation(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation) return;
  if (tx.count('settings', 'relation', id) > databagsAtOnceMax) {
    tx.put('relation', id, { ...relation, life: 'dead', dyingSince: relation.dyingSince ?? tx.now });
    return;
  }
  for (const settings of tx.find('settings', 'relation', id)) tx.remove('settings', settingsId(settings));
  removeGrantsOfRelation(tx, id);
  removeStatuses(tx, id, ['relation']);
  tx.remove('annotation', relationTag(relation.key));
  tx.remove('relation', id);
}
