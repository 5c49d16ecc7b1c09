import { expect, test } from 'vitest';
import type { LxdProfile } from '../../core/charm/document.ts';
import { notFound } from '../../core/errors.ts';
import { indexes } from '../../core/documents.ts';
import { silentLog } from '../../kit/log.ts';
import type { CharmProfile } from '../../providers/contract/provider.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import type { Services } from '../services.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { recordStart } from '../transactions/instance/record-start.ts';
import { resetMachine } from '../transactions/instance/renew-machine.ts';
import { removeStatuses, statusOf } from '../transactions/tx.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { ProfileAssigner } from './profile-assigner.ts';
import { eventually } from '../../testing/eventually.ts';

const nesting: LxdProfile = { description: '', config: { 'security.nesting': 'true' }, devices: {} };

/** An assigner over a model with a unit of mysql on each of its machines, which run. */
async function bench(options: { units: number; lxdProfile?: LxdProfile; without?: boolean }) {
  const model: ModelFixture = await modelFixture();
  if (options.lxdProfile) await askFor(model, 'mysql', options.lxdProfile);
  const world = {
    /** Names of each instance's profiles. */
    profiles: new Map<string, string[]>(),
    broken: new Map<string, Error>(),
    /** Instances that never answer. */
    hanging: new Set<string>(),
    clock: new ManualClock(),
    asked: 0,
    woken: 0,
  };
  const assign = (id: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void> => {
    world.asked++;
    if (world.hanging.has(id))
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const error = world.broken.get(id);
    if (error) return Promise.reject(error);
    world.profiles.set(
      id,
      profiles.map(({ name }) => name),
    );
    return Promise.resolve();
  };
  const assigner = new ProfileAssigner({
    store: model.store,
    // Services that the assigner uses.
    services: {
      clock: world.clock,
      dispatch: createDispatch(model.store, indexes),
      environ: () => (options.without ? {} : { profiles: { assign } }),
      log: silentLog,
      random: () => 0.5,
    } as unknown as Services,
    modelUuid: model.uuid,
    wake: () => void world.woken++,
  });
  await model.deploy('mysql', { numUnits: options.units });
  await start(model);
  return {
    model,
    world,
    pass: () => assigner.pass(new AbortController().signal),
    modification: (machine: string) => {
      const { status, message } = statusOf(model.view(), 'modification', machine, '');
      return [status, message];
    },
  };
}

function askFor(model: ModelFixture, charm: string, lxdProfile: LxdProfile): Promise<void> {
  return model.change((tx) => {
    const doc = [...tx.list('charm')].find(({ name }) => name === charm)!;
    tx.put('charm', doc.url, { ...doc, lxdProfile });
  });
}

/** Gives each machine without an instance one. */
function start(model: ModelFixture): Promise<void> {
  return model.change((tx) => {
    for (const machine of tx.list('machine'))
      if (!machine.instance)
        tx.put('machine', machine.id, {
          ...machine,
          instance: { id: `i-${machine.id}`, displayName: '', hardware: {}, isolation: '' },
        });
  });
}

/** Records that machine 0 was started as the instance. */
async function restart(model: ModelFixture, id: string, profiled: boolean): Promise<void> {
  const common = { displayName: '', message: '', addresses: [], tags: {}, isolation: '' };
  const result = { instance: { id, status: 'running', ...common }, hardware: {} } as const;
  await model.change((tx) => {
    tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce: 'n' });
    recordStart(tx, { machine: '0', nonce: 'n', result, profiled });
  });
}

const nameOf = (model: ModelFixture, application: string, revision = 0): string =>
  `juju-default-${model.uuid.slice(-6)}-${application}-${revision}`;

test('instances get the profiles that the charms of their units ask for, once', async () => {
  const { model, world, pass, modification } = await bench({ units: 2, lxdProfile: nesting });
  await using _ = model;
  expect(await pass()).toBeUndefined();
  expect(Object.fromEntries(world.profiles)).toEqual({
    'i-0': [nameOf(model, 'mysql')],
    'i-1': [nameOf(model, 'mysql')],
  });
  expect(modification('0')).toEqual(['applied', '']);
  expect(model.view().get('machine', '1')!.instance!.profiles).toEqual([nameOf(model, 'mysql')]);
  await pass();
  expect(world.asked).toBe(2);
});

test('a started instance of a cloud with profiles has none until they are assigned', async () => {
  const { model, pass } = await bench({ units: 1, lxdProfile: nesting });
  await using _ = model;
  const profiles = (): readonly string[] | undefined => model.view().get('machine', '0')!.instance!.profiles;
  const start = (profiled: boolean): Promise<void> => restart(model, 'i-9', profiled);
  await start(false);
  expect(profiles()).toBeUndefined();
  await start(true);
  expect(profiles()).toEqual([]);
  await pass();
  expect(profiles()).toEqual([nameOf(model, 'mysql')]);
  await start(true);
  expect(profiles(), 'of the same instance, started again').toEqual([nameOf(model, 'mysql')]);
});

test('an instance that takes the place of a lost one has its profiles recorded, also when it has the same id', async () => {
  const { model, world, pass, modification } = await bench({ units: 1, lxdProfile: nesting });
  await using _ = model;
  await pass();
  await model.change((tx) => resetMachine(tx, tx.get('machine', '0')!));
  world.profiles.clear();
  await restart(model, 'i-0', true);
  await pass();
  expect(world.profiles.get('i-0')).toEqual([nameOf(model, 'mysql')]);
  expect(model.view().get('machine', '0')!.instance!.profiles).toEqual([nameOf(model, 'mysql')]);
  expect(modification('0')).toEqual(['applied', '']);
  await pass();
  expect(world.asked, 'once for each').toBe(2);
});

test('profiles follow a new unit on a machine, and a removed unit', async () => {
  const { model, world, pass } = await bench({ units: 1, lxdProfile: nesting });
  await using _ = model;
  await askFor(model, 'wordpress', nesting);
  await pass();
  const before = world.woken;
  await model.deploy('wordpress', { placement: [{ scope: '#', directive: '0' }], numUnits: 1 });
  expect(world.woken).toBeGreaterThan(before);
  await pass();
  expect(world.profiles.get('i-0')).toEqual([nameOf(model, 'mysql'), nameOf(model, 'wordpress')]);
  await model.change((tx) => tx.remove('unit', 'mysql/0'));
  await pass();
  expect(world.profiles.get('i-0')).toEqual([nameOf(model, 'wordpress')]);
});

test('profiles follow a new revision of a charm', async () => {
  const { model, world, pass } = await bench({ units: 2, lxdProfile: nesting });
  await using _ = model;
  await pass();
  await model.change((tx) => {
    const application = tx.get('application', 'mysql')!;
    const charm = tx.get('charm', application.charmUrl)!;
    tx.put('charm', 'local:mysql-7', { ...charm, url: 'local:mysql-7', revision: 7 });
    tx.put('application', 'mysql', { ...application, charmUrl: 'local:mysql-7' });
  });
  await pass();
  expect([...world.profiles.values()]).toEqual([[nameOf(model, 'mysql', 7)], [nameOf(model, 'mysql', 7)]]);
});

test('a failed assignment is reported, does not delay other machines, and is tried again', async () => {
  const { model, world, pass, modification } = await bench({ units: 2, lxdProfile: nesting });
  await using _ = model;
  world.broken.set('i-0', new Error('no such device'));
  expect(await pass()).toBe(1000);
  expect(model.view().get('machine', '0')!.instance!.profiles).toBeUndefined();
  expect(await pass()).toBe(2000);
  expect(modification('0')).toEqual(['error', "cannot apply the charms' LXD profiles: no such device"]);
  expect(modification('1')).toEqual(['applied', '']);
  world.broken.clear();
  expect(await pass()).toBeUndefined();
  expect(modification('0')).toEqual(['applied', '']);
});

test('an assignment that never ends is given up after a while', async () => {
  const { model, world, pass, modification } = await bench({ units: 2, lxdProfile: nesting });
  await using _ = model;
  world.hanging.add('i-0');
  const passed = pass();
  await eventually(() => expect(world.asked).toBe(1));
  world.clock.advance(120_000);
  expect(await passed).toBe(1000);
  expect([...world.profiles.keys()]).toEqual(['i-1']);
  expect(modification('0')[0]).toBe('error');
});

test('an instance that is gone is not waited for', async () => {
  const { model, world, pass, modification } = await bench({ units: 1, lxdProfile: nesting });
  await using _ = model;
  await model.change((tx) => removeStatuses(tx, '0', ['modification']));
  world.broken.set('i-0', notFound('instance', 'i-0'));
  expect(await pass()).toBeUndefined();
  expect(modification('0')).toEqual(['idle', '']);
});

test('the worker looks at nothing where no charm asks for profiles', async () => {
  const { model, world, pass } = await bench({ units: 3 });
  await using _ = model;
  await model.change((tx) => addUnits(tx, { application: 'mysql', count: 3, placement: [] }));
  await start(model);
  await pass();
  expect([world.woken, world.asked]).toEqual([0, 0]);
});

test('a cloud without profiles is asked for none', async () => {
  const { model, pass, modification } = await bench({ units: 1, lxdProfile: nesting, without: true });
  await using _ = model;
  expect(await pass()).toBeUndefined();
  expect(modification('0')[0]).not.toBe('error');
});
