/** Models that move between controllers, in simulated worlds: their steps, and what has to be true in the end. */
import { isActive } from '../../core/migration/phases.ts';
import { controllerTag, modelTag, userTag } from '../../wire/tags.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';
import { Chance } from './chance.ts';
import { userPassword } from './controller-process.ts';
import { simulatedCa } from './elsewhere.ts';
import { generateScript } from './generate-script.ts';
import { generateOffersScript } from './offers.ts';
import { isFull } from './owners.ts';
import { onlyResult, type Results } from './results.ts';
import type { Script, Step } from './script.ts';
import type { SimOperator, World } from './world.ts';

/** Faults that happen while models are migrated. */
export const duringMigrations: readonly FaultKind[] = ['answer-lost', 'message-lost', 'disk-error'];

/** Commands and faults that would keep every model where it is, or end it, for the rest of a script. */
const inTheWay: ReadonlySet<string> = new Set([
  'secret-backend',
  'destroy-model',
  'add-model',
  'stray',
  'lose',
  'halt',
]);

/**
 * Generates a script in which models go to and fro between controllers, while operators act and faults happen: in
 * some worlds much, in others little.
 */
export function generateMigrationScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed ^ 0x316a7e);
  const endMs = hours * 3_600_000;
  const busy = chance.of([0.1, 0.3, 0.6, 1]);
  const troubled = chance.of([0, 0.3, 1]);
  // In every second world, the models consume each other's offers.
  const areRelated = seed % 2 === 0;
  const generate = areRelated ? generateOffersScript : generateScript;
  const usual = generate({ seed, hours }).steps.filter((step) => {
    const name = 'do' in step ? step.do : 'blow' in step ? step.blow : step.trouble;
    if (inTheWay.has(name) || name.startsWith('vault-') || name === 'machine-lost') return false;
    // What is deployed and related at the beginning stays.
    return 'do' in step ? step.atMs < 60_000 || chance.is(busy) : chance.is(troubled);
  });
  const steps: Step[] = [...usual];
  for (let atMs = 40_000; atMs < endMs; atMs += 5_000 + chance.below(60_000)) {
    const model = chance.is(areRelated ? 0.5 : 0.8) ? 0 : 1;
    steps.push({ atMs, by: 'bob', model, do: 'migrate', to: chance.below(2) });
    const also = { by: 'alice', model: 1 - model, do: 'migrate', to: chance.below(2) } as const;
    if (areRelated && chance.is(0.4)) steps.push({ atMs: atMs + chance.below(4_000), ...also });
    while (chance.is(0.5)) steps.push({ atMs: atMs + chance.below(8_000), ...interruption(chance) });
  }
  return { seed, hours, controllers: 3, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}

function interruption(chance: Chance) {
  const step = 1 + chance.below(chance.is(0.5) ? 30 : 200);
  const which = chance.below(3);
  const forMs = 500 + chance.below(chance.is(0.7) ? 20_000 : 150_000);
  return chance.of([
    { blow: 'crash-controller', step, which },
    { blow: 'crash-controller', step, which },
    { blow: 'cut-controllers', forMs },
    { blow: 'cut-controllers', forMs, which },
    { blow: 'cut-off', pick: chance.below(6), forMs },
    { blow: 'crash-agent', pick: chance.below(6), step },
    { trouble: 'answer-lost', rate: 0.1, forMs },
    { trouble: 'message-lost', rate: 0.05, forMs },
    { trouble: 'disk-error', rate: 0.1, forMs },
  ] as const);
}

/** Begins the migration of a model to one of the controllers that do not have it. Errors: those of the checks. */
export async function migrate(
  world: World,
  operator: SimOperator,
  model: string,
  { to = 0 }: { readonly to?: number },
): Promise<void> {
  const others = world.controllers.filter((one) => !one.read().get('model', model));
  const target = others[to % others.length];
  if (!target) return;
  const { uuid, address } = target;
  const info = {
    'controller-tag': controllerTag(uuid),
    'controller-alias': 'other',
    addrs: [address],
    'ca-cert': simulatedCa,
    'auth-tag': userTag('admin'),
    password: userPassword,
  };
  const specs = [{ 'model-tag': modelTag(model), 'target-info': info }];
  onlyResult(await operator.callController<Results>(model, 'Controller', 'InitiateMigration', { specs }));
}

/** Yields sentences about migrations that have not ended, and about what is left of ended ones. */
export function* openMigrations({ controllers }: World): Iterable<string> {
  if (controllers.length === 1) return;
  for (const [place, one] of controllers.entries()) {
    const root = one.read();
    const where = `at controller ${place + 1}`;
    for (const migration of root.list('migration'))
      if (isActive(migration))
        yield `the migration of model ${migration.model} ${where} is in ${migration.phase}: ${migration.message}`;
    for (const { model, state, problem } of root.list('arrival'))
      if (state === 'adopting') yield `model ${model} ${where} has not got its machines: ${problem}`;
  }
}

/** Yields sentences about what controllers have of models that are not theirs. */
export function* leftByMigrations({ controllers }: World): Iterable<string> {
  if (controllers.length === 1) return;
  for (const [place, one] of controllers.entries()) {
    const root = one.read();
    const where = `at controller ${place + 1}`;
    for (const { model, state } of root.list('arrival'))
      if (state !== 'destroyed') yield `an arrival of ${model} ${where} is ${state}`;
    for (const space of root.spaces())
      if (space !== '' && space !== one.modelUuid && isFull(root.in(space)))
        yield `documents of model ${space} ${where} are left`;
    for (const kind of ['access', 'offer-access'] as const)
      for (const { user, model } of root.list(kind))
        if (!root.get('model', model)) yield `${kind} of ${user} to model ${model} ${where} is left`;
  }
}
