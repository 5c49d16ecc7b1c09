import { isImpeded } from '../../core/impediments.ts';
import { removeCharmIfUnused } from './remove-charm.ts';
import { relationTag } from '../../wire/tags.ts';
import { removeStatuses, type Tx } from './tx.ts';

/**
 * A dying application that nothing refers to is removed with its empty relations, and with it the dying applications
 * that only those were holding. True when it is gone.
 */
export function removeApplicationIfUnreferenced(tx: Tx, name: string): boolean {
  const application = tx.get('application', name);
  if (!application) return true;
  if (application.life === 'alive' || isImpeded({ kind: 'application', id: name }, tx)) return false;

  const relations = [...tx.find('relation', 'application', name)];
  for (const relation of relations) dropRelation(tx, String(relation.id));
  removeStatuses(tx, name, ['application']);
  tx.remove('lease', name);
  tx.remove('leader-settings', name);
  tx.remove('annotation', `application-${name}`);
  tx.remove('application', name);
  removeCharmIfUnused(tx, application.charmUrl);
  for (const { endpoints } of relations)
    for (const other of endpoints)
      if (other.application !== name) removeApplicationIfUnreferenced(tx, other.application);
  return true;
}

/** The relation's record with its databags. */
export function dropRelation(tx: Tx, id: string): void {
  for (const settings of tx.find('settings', 'relation', id))
    tx.remove('settings', `${id}#${settings.owner}`);
  removeStatuses(tx, id, ['relation']);
  const key = tx.get('relation', id)?.key;
  if (key !== undefined) tx.remove('annotation', relationTag(key));
  tx.remove('relation', id);
}
