/** Property: a removal ends as its plan says, in whatever order agents and workers do their part. */
import { expect, test } from 'vitest';
import type { EntityRef, LivingKind } from '../core/entity-ref.ts';
import type { HarvestMode } from '../core/machine/plan-provisioning.ts';
import type { RemovalPlan } from '../core/removal/plan.ts';
import { planRemoval } from '../core/removal/plan-removal.ts';
import fc, { isUsualSeed, runs } from '../testing/fast-check.ts';
import {
  choose,
  destroy,
  happen,
  happening,
  kinds,
  number,
  refsOf,
  refused,
  rest,
} from '../testing/happenings.ts';
import { World } from '../testing/lives/world.ts';
import { isThorough } from '../testing/thorough.ts';

const targets: fc.Arbitrary<{ kind: LivingKind; choice: number }[]> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(fc.record({ kind: fc.constantFrom<LivingKind[]>(...kinds), choice: number }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<{ kind: LivingKind; choice: number }[]>([{ kind: 'model', choice: 0 }]),
  },
);
const removal = fc.record({ targets, force: fc.boolean(), keepInstance: fc.boolean() });

test('the entities that a plan lists as dying are gone in the end, and planned refusals are refused', async () => {
  const coverage = {
    accepted: 0,
    refused: 0,
    deaths: new Set<string>(),
    keeps: new Set<string>(),
    /** End of each stray instance. */
    strays: new Set<string>(),
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 5, maxLength: 40 }),
      removal,
      fc.array(fc.nat(), { minLength: 7, maxLength: 7 }),
      async (happenings, { targets: choices, ...options }, order) => {
        const world = new World();
        for (const happening of happenings) await happen(world, happening);
        const targets = choices.flatMap(({ kind, choice }) => choose(refsOf(world, kind), choice) ?? []);
        const before = entitiesOf(world);
        const start = world.state;

        await rest(world, order);
        const anyway = goneOf(world, before);

        world.state = start;
        const { keptInstances = [] } = world.view.in('').get('model', world.uuid) ?? {};
        const plan = planRemoval(world.view, targets, { ...options, harvest: world.harvest, keptInstances });
        const instances = instancesOf(world);
        const { harvest } = world;
        const strays = straysOf(world);
        const strayIds = [...world.view.list('stray')].map(({ instanceId }) => instanceId);
        const hosts = options.keepInstance ? hostsOf(world, targets) : [];
        expect(world.state.store).toBe(start.store);
        const earlier = new Set<string>();
        const relations = relationsOf(world);
        for (const { entity, refusal, dies } of plan.targets) {
          const message = refused(() => destroy(world, entity, options));
          const name = `${entity.kind} ${entity.id}`;
          if (earlier.has(name) && message?.endsWith('not found')) continue;
          // An entity that goes at once, because it was never started, may take along what a later target is refused
          // for.
          fc.pre(!refusal?.passedOver?.some((one) => earlier.has(`${one.entity?.kind} ${one.entity?.id}`)));
          fc.pre(!refusal || !relations.get(name)?.some((relation) => earlier.has(relation)));
          expect(message, name).toBe(refusal?.message);
          if (refusal) coverage.refused++;
          else coverage.accepted++;
          for (const death of deathsOf(dies)) earlier.add(death);
        }
        await rest(world, order.toReversed());
        await world.harvestNow();
        expectInstances(world, plan, instances);
        const isModel = targets.some(({ kind }) => kind === 'model');
        expect(dyingInstances(plan)).toEqual(
          isModel ? [...new Set([...keptInstances, ...strayIds])].sort() : [],
        );
        const fate = isModel ? 'gone with the model' : stayIn.has(harvest) ? 'left' : 'stopped';
        expect(straysOf(world), `${harvest}: ${fate}`).toEqual(fate === 'left' ? strays : []);
        if (strays.length > 0) coverage.strays.add(fate);

        const planned = plan.targets.flatMap(({ dies }) => deathsOf(dies));
        // A host that was to go stays when one of its containers keeps its instance.
        const going = anyway.filter((name) => !hosts.includes(name) || planned.includes(name));
        expect([...new Set([...planned, ...going])].sort()).toEqual(goneOf(world, before));
        for (const { kind, reason, ids } of plan.keeps) {
          coverage.keeps.add(reason);
          if (kind === 'machine') for (const id of ids) expect(planned).not.toContain(`machine ${id}`);
        }
        for (const { dies } of plan.targets) for (const { reason } of dies) coverage.deaths.add(reason);
      },
    ),
    { numRuns: runs(1000) },
  );
  // A whole run of the usual cases reaches all that a plan can say of entities; other seeds may miss what is rare.
  if (!isThorough || !isUsualSeed) return;
  expect([...coverage.deaths].sort()).toEqual(
    expect.arrayContaining([
      'asked',
      'container-of',
      'dying',
      'emptied',
      'held',
      'in',
      'offer-of',
      'on',
      'orphan-of',
    ]),
  );
  expect([...coverage.keeps].sort()).toEqual(
    expect.arrayContaining(['awaited', 'harvest', 'keep-instance', 'policy', 'units']),
  );
  expect([...coverage.strays].sort()).toEqual(['gone with the model', 'left', 'stopped']);
  expect(coverage.accepted).toBeGreaterThan(100);
  expect(coverage.refused).toBeGreaterThan(20);
}, 120_000);

/** Relations of each application, which may be the only users of its offers. */
function relationsOf(world: World): Map<string, string[]> {
  const of = [...world.view.list('application')].map(({ name }) => {
    const relations = [...world.view.find('relation', 'application', name)];
    return [`application ${name}`, relations.map(({ id }) => `relation ${id}`)] as const;
  });
  return new Map(of);
}

function entitiesOf(world: World): string[] {
  return kinds.flatMap((kind) => refsOf(world, kind)).map(({ kind, id }) => `${kind} ${id}`);
}

/** Machines that have an instance, by its id. */
function instancesOf({ view }: World): Map<string, string> {
  return new Map(
    [...view.list('machine')].flatMap(({ id, instance }) => (instance ? [[instance.id, id]] : [])),
  );
}

/** Checks that an instance whose machine is gone runs on or is released as the plan said. */
function expectInstances(world: World, plan: RemovalPlan, before: ReadonlyMap<string, string>): void {
  const running = [...world.state.instances];
  for (const { kind, reason, ids } of plan.keeps)
    if (kind === 'instance' && reason !== 'unmanaged')
      for (const id of ids) expect(running, `${id} is kept: ${reason}`).toContain(before.get(id));
  for (const { reason, ids } of plan.waits)
    if (reason === 'release')
      for (const id of ids) expect(running, `machine ${id} is released`).not.toContain(id);
}

/** Harvest modes in which nobody stops a stray instance. */
const stayIn: ReadonlySet<HarvestMode> = new Set(['none', 'destroyed']);

function straysOf({ state }: World): string[] {
  return [...state.instances].filter((name) => name.startsWith('stray-')).sort();
}

/** Instances that go with their model. */
function dyingInstances({ targets }: RemovalPlan): string[] {
  return targets
    .flatMap(({ dies }) => dies.flatMap(({ kind, ids }) => (kind === 'instance' ? ids : [])))
    .sort();
}

/** Entries of `before` that do not exist any more. */
function goneOf(world: World, before: readonly string[]): string[] {
  const there = new Set(entitiesOf(world));
  return before.filter((one) => !there.has(one)).sort();
}

function deathsOf(dies: RemovalPlan['targets'][number]['dies']): string[] {
  return dies.flatMap(({ kind, ids }) =>
    (kinds as readonly string[]).includes(kind) ? ids.map((id) => `${kind} ${id}`) : [],
  );
}

/** Names of the machines whose containers are among these entities and may have an instance. */
function hostsOf({ view }: World, entities: readonly EntityRef[]): string[] {
  return entities.flatMap(({ kind, id }) => {
    const { parent, nonce, instance } = (kind === 'machine' && view.get(kind, id)) || {};
    return parent !== undefined && (nonce !== undefined || instance) ? [`machine ${parent}`] : [];
  });
}
