/**
 * Checks of starts: no instance is made before its intent is recorded, failures are reported, and zones are filled
 * evenly.
 */
import type { Entities } from '../../core/kinds.ts';
import { actorsOf, explain } from '../../core/explain/explain.ts';
import { tagKeys } from '../../providers/contract/provider.ts';
import type { Commit, Reader } from '../../store/store.ts';
import { initialStatus, statusId } from '../../core/status.ts';
import { zoneNames } from './cloud.ts';
import type { World } from './world.ts';

export class Starts {
  readonly #world: World;
  /** Space and name of applications whose machines could not all be in any zone, or did not all stay. */
  readonly #disturbed = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit, root) => this.#commit(commit, root));
    world.onInstance(({ id, tags }, model) => {
      const machine = tags[tagKeys.machine] ?? '';
      const record = world.controller.read().in(model).get('machine', machine);
      // Records that are gone, or have another nonce by now, had this nonce when the cloud was asked.
      if (record && record.nonce === undefined)
        world.fail(`instance ${id} of machine ${machine} was made before its nonce was stored`);
    });
  }

  /**
   * Yields sentences about machines that neither run nor state a reason and a remedy. Checked while faults still
   * happen.
   */
  *silent(): Iterable<string> {
    const root = this.#world.controller.read();
    const now = new Date(this.#world.now()).toISOString();
    for (const model of root.list('model')) {
      const view = root.in(model.uuid);
      for (const machine of view.list('machine')) {
        const { id, life, instance, createdAt } = machine;
        const status = view.get('status', statusId('instance', id)) ?? initialStatus('instance', createdAt);
        // Dead machines have only their record left.
        if (instance?.unmanaged || life === 'dead' || status.status === 'running') continue;
        const where = `machine ${id} in ${model.name} is ${status.status}`;
        if (status.status !== 'pending' && status.message === '') yield `${where} and does not say why`;
        const told = explain(
          { kind: 'machine', id },
          {
            get: (...args) => view.get(...args),
            list: (...args) => view.list(...args),
            find: (...args) => view.find(...args),
            count: (...args) => view.count(...args),
            now,
            model,
            present: () => false,
            absentSince: () => undefined,
            heardAt: () => undefined,
          },
        );
        const actors = actorsOf(told);
        if (told.text === '' || actors.length === 0) yield `${where} and nobody has to act: ${told.text}`;
        else if (
          // Machines that are being removed are released by the provisioner.
          life === 'alive' &&
          status.status === 'provisioning error' &&
          !actors.some(({ kind, commands }) => kind === 'operator' && commands.length > 0)
        )
          yield `${where} and explain has no command for it: ${told.text}`;
      }
    }
  }

  /**
   * Yields sentences about applications whose machines are not spread over the zones, although nothing prevented it.
   */
  *uneven(): Iterable<string> {
    const { cloud, faults, controller } = this.#world;
    if (cloud.zonesWereDown || faults.counts['cloud-zonal'] > 0) return;
    const root = controller.read();
    for (const model of root.list('model')) {
      if (model.uuid === controller.modelUuid) continue;
      const view = root.in(model.uuid);
      for (const { name, subordinate } of view.list('application')) {
        // Subordinates are placed with their principals.
        if (subordinate || this.#disturbed.has(`${model.uuid} ${name}`)) continue;
        const machines = new Set(
          [...view.find('unit', 'application', name)].map(({ machine = '' }) => machine),
        );
        const zones = [...machines].map((id) => view.get('machine', id)?.zone);
        const counts = zoneNames.map((zone) => zones.filter((one) => one === zone).length);
        if (Math.max(...counts) - Math.min(...counts) > 1)
          yield `machines of ${name} in ${model.name} are ${counts.join(', ')} in ${zoneNames.join(', ')}`;
      }
    }
  }

  #commit({ changes }: Commit<Entities>, root: Reader<Entities>): void {
    const born = new Set<string>();
    for (const { kind, space, id, before } of changes)
      if (kind === 'machine' && !before) born.add(`${space} ${id}`);
    for (const { kind, space, before, after } of changes) {
      if (kind === 'machine' && after) this.#machine(root.in(space), after as Entities['machine']);
      if (kind === 'unit') {
        const unit = (after ?? before) as Entities['unit'];
        const isPlaced = !before && !unit.principal && !born.has(`${space} ${unit.machine}`);
        if (!after || isPlaced) this.#disturbed.add(`${space} ${unit.application}`);
        // The zone of the unit's machine was also chosen for other units.
        if (isPlaced) this.#disturb(root.in(space), unit.machine ?? '');
      }
      if (kind !== 'status' || !after) continue;
      const status = after as Entities['status'];
      if (status.kind !== 'instance') continue;
      const instance = root.in(space).get('machine', status.entity)?.instance?.id;
      const ran = (before as Entities['status'] | undefined)?.status === 'running';
      if (ran && status.status === 'allocating' && instance !== undefined && this.#runs(instance))
        this.#world.fail(`machine ${status.entity}, which runs, is started`);
      if (status.status !== 'provisioning error') continue;
      if (status.message === '')
        this.#world.fail(`the failed start of machine ${status.entity} has no reason`);
      if (instance !== undefined)
        this.#world.fail(`the start of machine ${status.entity} failed, and has instance ${instance}`);
    }
  }

  #runs(instance: string): boolean {
    const state = this.#world.machines.find((one) => one.instance === instance)?.state;
    return state === 'booting' || state === 'running';
  }

  #machine(view: Reader<Entities>, machine: Entities['machine']): void {
    const { id, placement, parent, failedZones = [], constraints } = machine;
    const isFree =
      !placement && parent === undefined && failedZones.length + (constraints.zones ?? []).length === 0;
    if (!isFree) this.#disturb(view, id);
  }

  /** Marks all applications with units on the machine. */
  #disturb(view: Reader<Entities>, machine: string): void {
    for (const { application } of view.find('unit', 'machine', machine))
      this.#disturbed.add(`${view.space} ${application}`);
  }
}
