/** A migration of each model in a world at rest, without a fault: it succeeds, and nothing runs because of it. */
import type { Operators } from './operators.ts';
import { openMigrations } from './migrations.ts';
import type { World } from './world.ts';

/** Time after which everything has been told to everybody. */
const restMs = 3 * 60_000;
/** Time for the migrations, and for what would run because of them. */
const moveMs = 10 * 60_000;
const afterMs = 2 * 60_000;
/** Hooks that run now and then in a world at rest: `update-status`, and those by which others hear of what it wrote. */
const usual = /^(update-status|leader-settings-changed|secret-\w+|.*-relation-changed)$/;

/** Migrates all models, and then changes something in each. Returns what was wrong. */
export async function moveQuietly(
  world: World,
  operators: Operators,
  unsettled: () => Iterable<string>,
): Promise<string | undefined> {
  // Machines that have just come back wait for the leases of others to expire.
  await world.runFor(restMs);
  const began: string[] = [];
  let moving = true;
  // By a clock that was set, a lease ends at another time.
  const clocksDiffer = world.faults.counts['clock-forward'] + world.faults.counts['clock-back'] > 0;
  world.onHook(({ phase, unit, name }) => {
    const isElection = name === 'leader-elected' && clocksDiffer;
    if (moving && phase === 'begin' && !usual.test(name) && !isElection) began.push(`${unit} ran ${name}`);
  });
  const crashes = (): number => world.machines.reduce((sum, machine) => sum + machine.crashes, 0);
  const before = crashes();
  const models = [...world.controller.read().list('model')]
    .map(({ uuid }) => uuid)
    .filter((uuid) => uuid !== world.controller.modelUuid);
  const placeOf = (model: string): number =>
    world.controllers.findIndex((one) => one.read().get('model', model) !== undefined);
  const places = models.map(placeOf);
  const refusals: string[] = [];
  let asked = false;
  operators.act(async (operator) => {
    for (const model of models) {
      const outcome = await operators.order(operator, model, { do: 'migrate' });
      if (outcome !== 'ok') refusals.push(`migrate ${model}: ${outcome}`);
    }
    asked = true;
  });
  await world.runUntil(() => asked && [...openMigrations(world)].length === 0, moveMs);
  await world.runFor(afterMs);
  moving = false;
  const [open] = openMigrations(world);
  const stays = models.filter((model, n) => placeOf(model) === places[n]);
  const [wrong] = [
    ...refusals,
    ...(open === undefined ? [] : [open]),
    ...stays.map((model) => `model ${model} stays: ${messageOf(world, model)}`),
    ...began.map((what) => `${what} because of a migration`),
    ...(crashes() === before ? [] : ['an agent was started again because of a migration']),
  ];
  return wrong ?? (await changeAll(world, operators, unsettled));
}

/** Changes an option of each application, which every unit that is related with it hears of. Returns what was wrong. */
async function changeAll(
  world: World,
  operators: Operators,
  unsettled: () => Iterable<string>,
): Promise<string | undefined> {
  let changed = false;
  operators.act(async (operator) => {
    for (const { uuid } of world.controller.read().list('model'))
      for (const { name: application } of world.controller.read().in(uuid).list('application'))
        await operators.order(operator, uuid, { do: 'config', application, option: 'n', value: '1001' });
    changed = true;
  });
  const firstOpen = (): string | undefined => {
    // The target does not know how a storage of the source ended (migration.md#volumes-without-storage).
    for (const sentence of unsettled()) if (!/^volume .* is an orphan$/.test(sentence)) return sentence;
    return undefined;
  };
  const isHeard = await world.runUntil(() => changed && firstOpen() === undefined, moveMs);
  return isHeard ? undefined : `after a migration: ${firstOpen() ?? 'not all was changed'}`;
}

function messageOf({ controllers }: World, model: string): string {
  return controllers.map((one) => one.read().get('migration', model)?.message ?? '').join(', ');
}
