/** Random events in a model, for removal-plan.property.test.ts. */
import { offerDoc, useOf } from './offers.ts';
import { destroyApplication } from '../controller/transactions/end/destroy-application.ts';
import { destroyMachine } from '../controller/transactions/end/destroy-machine.ts';
import { destroyModel } from '../controller/transactions/end/destroy-model.ts';
import { destroyRelation } from '../controller/transactions/end/destroy-relation.ts';
import { destroyUnit } from '../controller/transactions/end/destroy-unit.ts';
import { takeNumbers, type Tx } from '../controller/transactions/tx.ts';
import { defined } from '../core/defined.ts';
import type { EntityRef, LivingKind } from '../core/entity-ref.ts';
import { JujuError } from '../core/errors.ts';
import type { HarvestMode } from '../core/machine/plan-provisioning.ts';
import fc from './fast-check.ts';
import { moves } from './lives/duties.ts';
import { factsOf } from './lives/project.ts';
import { sayStep, type CharmName, type Step } from './lives/step.ts';
import type { World } from './lives/world.ts';

export const kinds = ['application', 'machine', 'relation', 'unit'] as const;

/** Random event; the numbers choose among what exists. */
type Happening =
  | { do: 'deploy'; charm: CharmName; name: number; units: number }
  | { do: 'integrate'; a: number; b: number }
  | { do: 'add-unit'; of: number; to: number; container: boolean }
  | { do: 'harvest'; mode: HarvestMode }
  /** Adds a stray instance, which the harvester has or has not reported. */
  | { do: 'stray'; isSeen: boolean }
  | { do: 'add-machine' | 'add-container'; of: number }
  | { do: 'use'; of: number; connected: boolean }
  | { do: 'remove'; kind: (typeof kinds)[number]; choice: number; force: boolean }
  | { do: 'move'; choice: number }
  /** Deploys applications that are related in every possible way, and two that wait. */
  | { do: 'furnish' }
  | { do: 'rest' };

export const number = fc.nat(97);
export const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('deploy' as const),
      charm: fc.constantFrom<CharmName[]>('db', 'web', 'log', 'shop', 'ship'),
      name: fc.nat(1),
      units: fc.nat(2),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('integrate' as const), a: number, b: number }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add-unit' as const),
      of: number,
      to: number,
      container: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('harvest' as const),
      mode: fc.constantFrom<HarvestMode[]>('none', 'unknown', 'destroyed', 'all'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stray' as const), isSeen: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add-machine' as const), of: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add-container' as const), of: number }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('use' as const), of: number, connected: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      kind: fc.constantFrom(...kinds),
      choice: number,
      force: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('move' as const), choice: number }) },
  { weight: 2, arbitrary: fc.constant<Happening>({ do: 'furnish' }) },
  { weight: 3, arbitrary: fc.constant<Happening>({ do: 'rest' }) },
);

export async function happen(world: World, happening: Happening): Promise<void> {
  const { view } = world;
  switch (happening.do) {
    case 'deploy': {
      const units = happening.charm === 'log' || happening.charm === 'ship' ? 0 : happening.units;
      const application = `${happening.charm}${'x'.repeat(happening.name)}`;
      await world.take({ do: 'deploy', application, charm: happening.charm, units });
      return;
    }
    case 'integrate': {
      const a = choose(refsOf(world, 'application'), happening.a);
      const b = choose(refsOf(world, 'application'), happening.b);
      if (!a || !b) return;
      const needs = /^(web|shop)/.test(a.id) ? ':db' : happening.b % 2 === 0 ? ':info' : ':sink';
      const gives = needs === ':db' ? ':server' : needs === ':sink' ? ':sink' : '';
      await world.take({ do: 'integrate', ends: [`${a.id}${needs}`, `${b.id}${gives}`] });
      return;
    }
    case 'add-unit': {
      const application = choose(refsOf(world, 'application'), happening.of);
      const machine =
        happening.to % 2 === 0 ? choose(refsOf(world, 'machine'), happening.to >> 1) : undefined;
      if (application)
        await world.take({
          do: 'add-unit',
          application: application.id,
          ...defined({ to: machine?.id, container: happening.container || undefined }),
        });
      return;
    }
    case 'harvest':
      world.change((tx) => {
        const model = tx.in('').get('model', world.uuid);
        if (model)
          tx.in('').put('model', world.uuid, {
            ...model,
            config: { ...model.config, 'provisioner-harvest-mode': happening.mode },
          });
      });
      return;
    case 'stray':
      world.addStray(`stray-${world.state.instances.size}`);
      if (happening.isSeen) await world.harvestNow();
      return;
    case 'add-machine':
      await world.take({ do: 'add-machine' });
      return;
    case 'add-container': {
      const host = choose([...view.list('machine')], happening.of);
      if (host?.life !== 'alive' || host.parent !== undefined) return;
      const { instance: _, nonce: __, ...doc } = host;
      const id = `${host.id}/lxd/${view.count('machine', 'parent', host.id)}`;
      if (!view.get('machine', id))
        world.change((tx) =>
          tx.put('machine', id, { ...doc, id, parent: host.id, containerType: 'lxd', clean: false }),
        );
      return;
    }
    case 'use': {
      const application = choose([...view.list('application')], happening.of);
      if (application?.life !== 'alive') return;
      const name = `offer-${application.name}`;
      const offer = offerDoc(name, application.name);
      world.change((tx) => {
        tx.put('offer', name, offer);
        if (!happening.connected) return;
        const { proxy, relation } = useOf(offer, takeNumbers(tx, 'relation'));
        tx.put('remote-application', proxy.name, proxy);
        tx.put('relation', String(relation.id), relation);
      });
      return;
    }
    case 'remove': {
      const entity = choose(refsOf(world, happening.kind), happening.choice);
      if (entity) refused(() => destroy(world, entity, { force: happening.force, keepInstance: false }));
      return;
    }
    case 'move': {
      const step = choose(moves(factsOf(world)), happening.choice);
      if (step) await world.take(step);
      return;
    }
    case 'furnish':
      for (const step of furniture) await world.take(step);
      await rest(world, [1]);
      return;
    case 'rest':
      await rest(world, [1]);
  }
}

const furniture: readonly Step[] = [
  { do: 'deploy', application: 'db', charm: 'db', units: 2 },
  { do: 'deploy', application: 'web', charm: 'web', units: 1 },
  { do: 'deploy', application: 'log', charm: 'log', units: 0 },
  { do: 'integrate', ends: ['web:db', 'db:server'] },
  { do: 'integrate', ends: ['log:info', 'web'] },
  { do: 'integrate', ends: ['log:info', 'db'] },
  { do: 'integrate', ends: ['log:sink', 'db:sink'] },
  // Units that wait for what they require.
  { do: 'deploy', application: 'shop', charm: 'shop', units: 2 },
  { do: 'deploy', application: 'ship', charm: 'ship', units: 0 },
  { do: 'integrate', ends: ['ship:info', 'db'] },
];

/** Lets agents and workers do their part, in the given order, until nothing moves. */
export async function rest(world: World, order: readonly number[]): Promise<void> {
  for (let round = 0, idle = 0; idle < 2; round++) {
    const before = world.state;
    const steps: Step[] = moves(factsOf(world));
    for (let n = 0; steps.length > 0; n++) {
      const [step] = steps.splice((order[(round + n) % order.length]! + n) % steps.length, 1);
      await world.take(step!);
    }
    idle = world.state.store === before.store && world.state.instances === before.instances ? idle + 1 : 0;
    if (round > 300) throw new Error(`no rest: ${moves(factsOf(world)).map(sayStep).join('; ')}`);
  }
}

export function destroy(
  world: World,
  { kind, id }: EntityRef,
  { force, keepInstance }: { force: boolean; keepInstance: boolean },
): void {
  const forced = force ? { force: { maxWaitMs: 60_000, by: 'user-admin' } } : {};
  world.change((tx: Tx): unknown => {
    switch (kind) {
      case 'application':
        return destroyApplication(tx, { application: id, ...forced });
      case 'machine':
        return destroyMachine(tx, { machine: id, keepInstance, ...forced });
      case 'relation':
        return destroyRelation(tx, { id: Number(id), ...forced });
      case 'unit':
        return destroyUnit(tx, { unit: id, ...forced });
      case 'model':
        return destroyModel(tx.in(''), { uuid: id, ...forced });
    }
  });
}

export function refused(fn: () => void): string | undefined {
  try {
    fn();
    return undefined;
  } catch (error) {
    if (error instanceof JujuError) return error.message;
    throw error;
  }
}

export function refsOf({ view, uuid }: World, kind: LivingKind): EntityRef[] {
  switch (kind) {
    case 'application':
      return [...view.list(kind)].map(({ name }) => ({ kind, id: name }));
    case 'unit':
      return [...view.list(kind)].map(({ name }) => ({ kind, id: name }));
    case 'machine':
      return [...view.list(kind)].map(({ id }) => ({ kind, id }));
    case 'relation':
      return [...view.list(kind)].map(({ id }) => ({ kind, id: String(id) }));
    case 'model':
      return [{ kind, id: uuid }];
  }
}

export function choose<T>(list: readonly T[], n: number): T | undefined {
  return list[n % list.length];
}
