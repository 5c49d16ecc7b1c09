import { afterEach, beforeEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { silentLog } from '../../kit/log.ts';
import { createCallers, type Callers } from '../../testing/call.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { makeTestCa } from '../../testing/test-ca.ts';
import { twoControllers } from '../../testing/two-controllers.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { forgetControllerIfUnused, putController } from '../transactions/shared/external-controllers.ts';
import { ExternalControllerUpdater } from './external-controller-updater.ts';

const uuid = '6f1c2b1e-0000-4000-8000-000000000002';
const { signal } = new AbortController();

/** A controller that gives these answers. */
class Far {
  addresses: unknown = ['10.9.9.9:17070'];
  cacert: unknown = '';
  isDown = false;
  readonly asked: string[] = [];
  /** Lets the watcher there tell of a change. */
  change: () => void = () => undefined;

  connect() {
    if (this.isDown) return Promise.reject(new JujuError('try again', 'no answer'));
    return Promise.resolve({
      call: (facade: string, method: string) => this.#answer(`${facade}.${method}`),
      closed: new Promise<Error>(() => undefined),
      close: () => Promise.resolve(),
    });
  }

  #answer(method: string): Promise<unknown> {
    this.asked.push(method);
    if (method === 'NotifyWatcher.Next') return new Promise((resolve) => (this.change = () => resolve({})));
    if (method === 'CrossController.WatchControllerInfo')
      return Promise.resolve({ results: [{ NotifyWatcherId: '1' }] });
    return Promise.resolve({ results: [{ addresses: this.addresses, cacert: this.cacert }] });
  }
}

let callers: Callers;
let clock: ManualClock;
let given: { uuid: string; alias: string; addresses: string[]; caCert: string };
let far: Far;
let updater: ExternalControllerUpdater;
let warnings: unknown[];
let wakes: number;

beforeEach(async () => {
  callers = await createCallers();
  const { caCert } = await makeTestCa();
  given = { uuid, alias: 'far', addresses: ['10.9.9.9:17070'], caCert };
  await callers.store.change((tx) => putController(tx.in(callers.model), given), 'test');
  clock = new ManualClock();
  far = new Far();
  far.cacert = caCert;
  warnings = [];
  wakes = 0;
  const elsewhere = { connect: () => far.connect(), discharge: () => Promise.reject(new Error('none')) };
  const log = { ...silentLog, warning: (message: string) => void warnings.push(message) };
  updater = new ExternalControllerUpdater({
    store: callers.store,
    services: { ...callers.context.services, clock, elsewhere, log },
    modelUuid: callers.model,
    controller: uuid,
    wake: () => wakes++,
  });
});
afterEach(async () => {
  updater.stop();
  await callers[Symbol.asyncDispose]();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function pass(): Promise<void> {
  let isDone = false;
  const passed = updater.pass(signal).then(() => (isDone = true));
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(isDone, 'asked less than a second ago').toBe(false);
  clock.advance(1_000);
  await passed;
}

const told = () => callers.view().get('external-controller', uuid)?.told;

test('addresses and CA that a controller tells are kept beside those that a user gave', async () => {
  const { caCert } = await makeTestCa();
  far.addresses = ['10.9.9.10:443', '[fd00::9]:17070'];
  far.cacert = caCert;
  await pass();
  expect(callers.view().get('external-controller', uuid)).toEqual({
    ...given,
    told: { addresses: far.addresses, caCert },
  });
  const before = callers.view().get('external-controller', uuid);
  await pass();
  expect(callers.view().get('external-controller', uuid)).toBe(before);
});

test('a controller that tells what a user gave leaves no record of it', async () => {
  await pass();
  expect(far.asked).toContain('CrossController.ControllerInfo');
  expect(told()).toBeUndefined();
});

test('a controller is asked again when it says that something changed', async () => {
  await pass();
  far.addresses = ['10.9.9.11:17070'];
  far.change();
  await eventually(() => expect(wakes).toBe(1));
  await pass();
  expect(told()?.addresses).toEqual(['10.9.9.11:17070']);
  expect(far.asked.filter((method) => method === 'CrossController.WatchControllerInfo')).toHaveLength(1);
});

test('the addresses that a controller told are forgotten when a user gives another way to the controller', async () => {
  far.addresses = ['10.9.9.10:443'];
  await pass();
  await callers.store.change((tx) => putController(tx.in(callers.model), given), 'test');
  expect(told()).toBeDefined();
  const moved = { ...given, addresses: ['10.9.9.12:17070'] };
  await callers.store.change((tx) => putController(tx.in(callers.model), moved), 'test');
  expect(callers.view().get('external-controller', uuid)).toEqual(moved);
});

test.each<[string, Partial<Pick<Far, 'addresses' | 'cacert'>>]>([
  ['text that is no address', { addresses: ['http://10.0.0.1/'] }],
  ['no texts', { addresses: [1] }],
  ['too many addresses', { addresses: Array<string>(limits.controllerAddresses.max + 1).fill('a:1') }],
  ['a long address', { addresses: [`${'a'.repeat(limits.controllerAddress.max)}:1`] }],
  ['no CA', { addresses: ['a:1'], cacert: 'x' }],
  ['a long CA', { addresses: ['a:1'], cacert: 'x'.repeat(limits.caCertificate.max + 1) }],
])('a controller that tells %s changes nothing', async (_, answer) => {
  Object.assign(far, answer);
  await pass();
  expect(told()).toBeUndefined();
  expect(warnings).toEqual(['how another controller is reached is not known']);
});

test('a controller that does not answer, or tells no address, is left as it is known', async () => {
  far.isDown = true;
  await pass();
  far.isDown = false;
  far.addresses = null;
  await pass();
  expect([told(), warnings]).toEqual([undefined, []]);
});

test('a controller that was forgotten meanwhile stays forgotten', async () => {
  far.addresses = ['10.9.9.10:443'];
  const passed = updater.pass(signal);
  await callers.store.change((tx) => forgetControllerIfUnused(tx.in(callers.model), uuid), 'test');
  for (let turns = 0; turns < 20; turns++) await turn();
  clock.advance(1_000);
  await passed;
  expect(callers.view().count('external-controller')).toBe(0);
});

test('a controller is found at a port that it moved to when the address that was given leads nowhere any more', async () => {
  await using world = await twoControllers({ hosts: ['127.0.0.1'] });
  const { offering, consuming, gate } = world;
  await world.relate();
  const { uuid: of } = [...consuming.view().list('external-controller')][0]!;
  const addresses = () => consuming.view().get('external-controller', of)?.told?.addresses;
  await eventually(() => expect(addresses()).toEqual([offering.controller.address]));
  const before = offering.controller.address;
  await world.move();
  const { address } = offering.controller;
  expect(address).not.toBe(before);
  await eventually(() => expect(addresses()).toEqual([address]));
  gate.shut();
  await offering.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] }));
  await eventually(async () => {
    await world.settle();
    const units = [...consuming.view().list('scope')].map(({ unit }) => unit).sort();
    expect(units).toEqual(['db/0', 'db/1', 'wordpress/0']);
  });
});
