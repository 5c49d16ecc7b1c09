/** Functions that several changes of spaces need. */
import type { KnownSpaces } from '../../../core/application/bindings.ts';
import type { CharmMeta } from '../../../core/charm/metadata.ts';
import { defaultSpace } from '../../../core/space/document.ts';
import { hasSpace } from '../../../core/network/address-space.ts';
import { changeConstraints, type SpaceChange, changeApplication } from '../../../core/network/space-uses.ts';
import { notFound } from '../../../core/errors.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/** Checks that a space exists. Errors: `not found` when the model has no such space. */
export function checkSpace(view: View, name: string): void {
  if (!hasSpace(name, (id) => view.get('space', id))) throw notFound('space', name);
}

/** The model's spaces, for the bindings of its applications. */
export function knownSpaces(view: View): KnownSpaces {
  const configured = view.in('').get('model', view.space)?.config['default-space'];
  const fallback = typeof configured === 'string' && configured !== '' ? configured : defaultSpace;
  return { has: (name) => hasSpace(name, (id) => view.get('space', id)), fallback };
}

/** Metadata of the charms with these URLs, as far as they exist: endpoints of each may be bound. */
export function charmMetas(view: View, urls: readonly string[]): CharmMeta[] {
  return urls.flatMap((url) => view.get('charm', url)?.meta ?? []);
}

/** Moves subnets, by CIDR, to another space. */
export function putSubnets(tx: Tx, cidrs: Iterable<string>, space: string): void {
  for (const cidr of cidrs) {
    const subnet = tx.get('subnet', cidr);
    if (subnet && subnet.space !== space) tx.put('subnet', cidr, { ...subnet, space });
  }
}

/**
 * Changes everything that names a space and depends on it: applications, the model, units that wait for a machine, and
 * machines that are to be started. The machines that run follow in batches (`changeMachines`): there may be very many.
 */
export function changeUses(tx: Tx, change: SpaceChange): void {
  for (const application of tx.list('application')) {
    const changed = changeApplication(application, change);
    if (changed !== application) tx.put('application', application.name, changed);
    for (const unit of tx.find('unit', 'unplaced', application.name)) {
      const constraints = changeConstraints(unit.constraints, change);
      if (constraints !== unit.constraints) tx.put('unit', unit.name, { ...unit, constraints });
    }
  }
  changeMachines(
    tx,
    [...tx.find('machine', 'unprovisioned', 'unprovisioned')].map(({ id }) => id),
    change,
  );
  const model = mustGet(tx.in(''), 'model', tx.space);
  const constraints = changeConstraints(model.constraints, change);
  const isDefault = model.config['default-space'] === change.from;
  if (constraints === model.constraints && !isDefault) return;
  const config = isDefault ? { ...model.config, 'default-space': change.to ?? '' } : model.config;
  tx.in('').put('model', model.uuid, { ...model, constraints, config });
}

/** Changes the constraints of machines that name a space. */
export function changeMachines(tx: Tx, ids: readonly string[], change: SpaceChange): void {
  for (const id of ids) {
    const machine = tx.get('machine', id);
    if (!machine) continue;
    const constraints = changeConstraints(machine.constraints, change);
    if (constraints !== machine.constraints) tx.put('machine', machine.id, { ...machine, constraints });
  }
}
