import { forceRemoveUnit } from './destroy-unit.ts';
import { destroyRelation, setRelationDying } from './destroy-relation.ts';
import { ending, type ForceRequest } from './force.ts';
import { refuseRemoval } from './refuse-removal.ts';
import { removeApplicationIfUnreferenced } from './remove-application.ts';
import { mustGet, type Tx } from './tx.ts';

/**
 * remove-application: its relations dying or gone, the application dying; gone at once when nothing refers to it.
 * Its units are made dying in batches by the cleaner, never by one change of all of them. Returns the units that
 * will go.
 */
export function destroyApplication(
  tx: Tx,
  args: { application: string; force?: ForceRequest },
): { units: string[]; warnings: string[] } {
  const application = mustGet(tx, 'application', args.application);
  refuseRemoval(tx, { kind: 'application', id: application.name }, args.force);
  if (application.life === 'alive')
    tx.put('application', application.name, {
      ...application,
      life: 'dying',
      ...ending(tx, application, args.force),
    });
  for (const relation of tx.find('relation', 'application', application.name)) {
    if (relation.endpoints.length === 1) continue;
    if (args.force) destroyRelation(tx, { id: relation.id, force: args.force });
    else setRelationDying(tx, relation);
  }
  const units = [...tx.find('unit', 'application', application.name)];
  if (args.force) for (const unit of units) forceRemoveUnit(tx, unit);
  removeApplicationIfUnreferenced(tx, application.name);
  return { units: units.map((unit) => unit.name), warnings: [] };
}
