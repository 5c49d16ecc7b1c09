/**
 * The network between two controllers fails, or one of them is killed, at each step of a migration: afterwards exactly
 * one controller has the model, with all its machines and agents. `npm run test:properties` tries every step.
 */
import { describe, expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import { removeModel } from '../controller/transactions/end/remove-model.ts';
import { eventually } from './eventually.ts';
import { migrationWorld, type Loss, type MigrationWorld } from './migration-world.ts';
import { isThorough } from './thorough.ts';

/** Calls of a migration, in order; a model with charms or secrets makes more of the third kind. */
const steps = ['Prechecks', 'Import', 'ImportDocuments', 'Activate', 'AdoptResources'] as const;
type Step = (typeof steps)[number];
const some = <T>(all: readonly T[], ...fewer: T[]): readonly T[] => (isThorough ? all : fewer);

/** Lets something happen at the first call of a method once the migration runs. */
function at(
  world: MigrationWorld,
  step: Step,
  happen: () => Promise<Loss | undefined> | Loss | undefined,
): void {
  let done = false;
  world.onCall = (method) => {
    if (done || method !== step || world.phase() === undefined) return undefined;
    done = true;
    return happen();
  };
}

async function withAdmin(
  world: MigrationWorld,
  which: 'source' | 'target',
  use: (admin: Connection) => Promise<unknown>,
): Promise<void> {
  const admin = await world[which].connect(world.model);
  try {
    await use(admin);
  } finally {
    await admin.close();
  }
}

const addMachine = (admin: Connection): Promise<unknown> =>
  admin.call('MachineManager', 'AddMachines', {
    params: [{ jobs: ['JobHostUnits'], base: { name: 'ubuntu', channel: '24.04' } }],
  });

const losses = some<[Step, Loss]>(
  steps.flatMap((step): [Step, Loss][] => [
    [step, 'request'],
    [step, 'answer'],
  ]),
  ['Activate', 'answer'],
);

test('a login that the target refuses, once it may have the model, gives it to neither', async () => {
  await using world = await migrationWorld();
  const setDisabled = (isDisabled: boolean): Promise<unknown> =>
    world.target.running().store.change((tx) => {
      const admin = tx.get('user', 'admin')!;
      tx.put('user', 'admin', { ...admin, disabled: isDisabled });
    }, 'test');
  at(world, 'Activate', async () => {
    await setDisabled(true);
    return 'answer' as const;
  });
  await world.begin();
  const told = (): string => world.source.running().store.read().get('migration', world.model)?.message ?? '';
  await eventually(() => expect(told()).toContain('waiting for the answer of'));
  expect(world.phase()).toBe('VALIDATION');
  await setDisabled(false);
  await world.until('DONE');
  await world.expectAt('target');
});

test('a migration ends although the model is gone from the target before the source hears of the take-over', async () => {
  await using world = await migrationWorld();
  at(world, 'AdoptResources', async () => {
    const { store } = world.target.running();
    await eventually(() => expect(store.read().get('arrival', world.model)?.state).toBe('here'));
    await store.change((tx) => tx.remove('arrival', world.model), 'test');
    return 'request' as const;
  });
  await world.begin();
  await world.until('DONE');
  await world.expectAt('target');
});

test.each(['destroyed there', 'migrated on'])(
  'a model whose activation the source has not heard of, and which was %s, does not come back',
  async (what) => {
    await using world = await migrationWorld({ machines: 0 });
    const { model } = world;
    let calls = 0;
    world.onCall = async (method) => {
      if (method !== 'Activate' || world.phase() === undefined) return undefined;
      if (calls++ === 0) return 'answer';
      const { store } = world.target.running();
      await eventually(() => expect(store.read().get('arrival', model)?.state).toMatch(/here|destroyed/));
      if (calls > 2) return undefined;
      await store.change((tx) => {
        removeModel(tx, model);
        if (what === 'destroyed there') return;
        tx.remove('arrival', model);
        const migration = world.source.running().store.read().get('migration', model)!;
        tx.put('migration', model, { ...migration, attempt: 1, phase: 'DONE' });
      }, 'test');
      return undefined;
    };
    await world.begin();
    await world.until('DONE');
    expect(calls).toBe(2);
    expect(world.source.running().store.read().get('model', model)).toBeUndefined();
  },
);

describe('a call that is lost once', () => {
  test.each(losses)('%s: the %s is lost, and the migration goes on', async (step, loss) => {
    await using world = await migrationWorld();
    at(world, step, () => loss);
    await world.begin();
    await world.until('DONE');
    await world.expectAt('target');
    expect(world.called.filter((method) => method === step).length).toBeGreaterThan(1);
  });
});

const kills = some<[Step, 'source' | 'target']>(
  steps.flatMap((step): [Step, 'source' | 'target'][] => [
    [step, 'source'],
    [step, 'target'],
  ]),
  ['Activate', 'source'],
);

describe('a controller that is killed', () => {
  test.each(kills)('%s: the %s is killed, and the migration goes on', async (step, which) => {
    await using world = await migrationWorld();
    const killed = Promise.withResolvers<void>();
    at(world, step, () => {
      // A controller that stops waits for its own calls.
      void world.restart(which).then(killed.resolve, killed.reject);
      return 'request';
    });
    await world.begin();
    await killed.promise;
    await world.until('DONE');
    await world.expectAt('target');
  });
});

describe('a network that fails for good', () => {
  test.each(some<Step>(steps.slice(0, 3), 'ImportDocuments'))(
    '%s: the model stays where it is, and changes again; the target keeps nothing',
    async (step) => {
      await using world = await migrationWorld();
      await waitOnlyASecond(world);
      at(world, step, () => (world.gate.shut(), 'request'));
      await world.begin();
      await world.until('ABORT');
      await withAdmin(world, 'source', addMachine);
      world.gate.lead(world.target.running().server.port);
      await world.until('ABORTDONE');
      const { store } = world.target.running();
      expect(store.read().get('arrival', world.model)).toBeUndefined();
      expect([...store.read().spaces()]).not.toContain(world.model);
      await world.expectAt('source');
      world.onCall = () => undefined;
      expect(await world.begin()).toMatchObject({ 'migration-id': `${world.model}:1` });
      await world.until('DONE');
      await world.expectAt('target');
    },
  );

  test.runIf(isThorough)(
    'Activate: nobody decides without the target; its answer is asked for again',
    async () => {
      await using world = await migrationWorld();
      await waitOnlyASecond(world);
      at(world, 'Activate', () => (world.gate.shut(), 'answer'));
      await world.begin();
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(world.phase()).toBe('VALIDATION');
      await withAdmin(world, 'source', async (admin) => {
        expect(JSON.stringify(await addMachine(admin))).toContain('model migration in progress');
      });
      world.gate.lead(world.target.running().server.port);
      await world.until('DONE');
      await world.expectAt('target');
    },
  );
});

async function waitOnlyASecond(world: MigrationWorld): Promise<void> {
  const connection = await world.source.connect();
  await connection.call('Controller', 'ConfigSet', { config: { 'migration-agent-wait-time': '1s' } });
  await connection.close();
}
