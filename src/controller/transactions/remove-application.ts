import { removeCharmIfUnused } from './remove-charm.ts';
import { removeStatuses, type Tx } from './tx.ts';

/** A dying application with neither units nor relations, its peer relations aside, is removed. True when it is gone. */
export function removeApplicationIfUnreferenced(tx: Tx, name: string): boolean {
  const application = tx.get('application', name);
  if (!application) return true;
  if (application.life === 'alive' || tx.count('unit', 'application', name) > 0) return false;
  const relations = [...tx.find('relation', 'application', name)];
  if (relations.some((relation) => relation.endpoints.length > 1)) return false;

  for (const peer of relations) dropRelation(tx, String(peer.id));
  removeStatuses(tx, name, ['application']);
  tx.remove('lease', name);
  tx.remove('leader-settings', name);
  tx.remove('annotation', `application-${name}`);
  tx.remove('application', name);
  removeCharmIfUnused(tx, application.charmUrl);
  return true;
}

/** The relation's record with its databags. */
export function dropRelation(tx: Tx, id: string): void {
  for (const settings of [...tx.find('settings', 'relation', id)])
    tx.remove('settings', `${id}#${settings.owner}`);
  removeStatuses(tx, id, ['relation']);
  tx.remove('relation', id);
}
