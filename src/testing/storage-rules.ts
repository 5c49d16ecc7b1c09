/** Invariants of storage: no storage belongs to an entity that is gone, and its volume is where its machine is. */
import type { Entities } from '../core/kinds.ts';
import type { Reader } from '../store/store.ts';

export function checkStorage(
  view: Reader<Entities>,
  must: (holds: unknown, text: () => string) => void,
): void {
  for (const { id, attachment, machine: on, instance, attached } of view.list('storage')) {
    const unit = attachment?.unit;
    must(unit === undefined || view.get('unit', unit), () => `storage ${id} of unit ${unit}, which is gone`);
    const machine = on === undefined ? undefined : view.get('machine', on);
    must(on === undefined || machine, () => `storage ${id} of machine ${on}, which is gone`);
    must(!attached || instance, () => `storage ${id} is attached to an instance that is not recorded`);
    must(
      !machine || instance === undefined || machine.instance?.id === instance,
      () =>
        `storage ${id} on machine ${on} is at instance ${instance}, not ${machine?.instance?.id ?? 'none'}`,
    );
  }
}
