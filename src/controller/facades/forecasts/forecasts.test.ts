import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ForecastInput } from '../../../core/forecast/forecast.ts';
import { limits } from '../../../core/limits.ts';
import { statusId } from '../../../core/status.ts';
import { settingsId } from '../../../core/settings/document.ts';
import { play } from '../../../forecast/play.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { ResultOf } from '../../../wire/facade-spec.ts';
import type { forecasts as spec } from '../../../wire/facades/forecasts.ts';
import { Forecasts, type PlayForecast } from '../../forecasts/forecasts.ts';

type Made = ResultOf<typeof spec, 'Make'>;

let callers: Callers;
let inputs: ForecastInput[];
/** Plays forecasts in this thread. */
let player: PlayForecast;
let realNow: () => number;
beforeEach(async () => {
  inputs = [];
  realNow = () => performance.now();
  player = (input) => play(input, { now: () => realNow() });
  callers = await createCallers({
    forecasts: new Forecasts((input, signal) => {
      inputs.push(input);
      return player(input, signal);
    }),
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const make = (events: readonly string[], more: object = {}): Promise<Made> =>
  callers.call('Forecasts', 'Make', { events, horizon: 600, ...more });
const addMachines = (count: number): Promise<unknown> =>
  callers.call('MachineManager', 'AddMachines', {
    params: Array.from({ length: count }, () => ({ jobs: ['JobHostUnits'] })),
  });

test('machines start in the forecast, and the model stays as it is', async () => {
  await addMachines(2);
  const { revision } = callers.store.read();
  const made = await make([]);
  expect(made.end).toEqual({ units: { all: 0, well: 0 }, machines: { all: 2, well: 2 } });
  expect(made.stuck).toEqual([]);
  expect(made['at-rest']).toBeGreaterThan(30);
  expect(made['at-rest']).toBeLessThan(60);
  const started = made.timeline.filter(({ what }) => what === 'agent status started');
  expect(started.map(({ entity }) => entity).sort()).toEqual(['machine 0', 'machine 1']);
  expect(callers.store.read().revision).toBe(revision);
});

test('what is stuck is explained, the first 50 of it', async () => {
  const count = limits.forecastStuck.max + 10;
  await addMachines(count);
  const made = await make(['cloud refuses the credential']);
  expect(made.timeline.filter(({ entity }) => entity === 'event')).toEqual([
    { at: 0, entity: 'event', what: 'cloud refuses the credential' },
  ]);
  expect(made['stuck-entities']).toBe(count + 1);
  expect(made.stuck).toHaveLength(limits.forecastStuck.max);
  expect(made.stuck[0]!.explained.next.map(({ kind }) => kind)).toEqual(['operator']);
});

test('nothing is at rest while suspended starts are tried again, but for that nothing changes', async () => {
  await addMachines(1);
  const made = await make(['cloud refuses the credential']);
  expect(made['at-rest']).toBeUndefined();
  expect(made.changed).toBeLessThan(5);
  expect(made['suspended-starts']!.next).toBeGreaterThanOrEqual(600);
  const idle = await make(['cloud refuses the credential', '1s: remove-machine 0']);
  expect(idle['suspended-starts']).toBeUndefined();
  expect(idle['at-rest']).toBeLessThan(60);
});

test('agents that may just not have come back count as connected in the first minute of the controller', async () => {
  await addMachines(4);
  await callers.change((tx) => {
    const put = (kind: 'machine-agent' | 'instance', entity: string, status: string): void =>
      tx.put('status', statusId(kind, entity), { kind, entity, status, message: '', since: tx.now });
    for (const id of ['0', '1', '2']) {
      const instance = { id: `i-${id}`, displayName: '', hardware: {}, isolation: '' };
      tx.put('machine', id, { ...tx.get('machine', id)!, instance, nonce: `n${id}` });
      put('machine-agent', id, 'started');
      put('instance', id, id === '1' ? 'stopped' : 'running');
    }
  });
  callers.setPresent('2');
  const made = await make([]);
  expect(made.awaited).toBe(1);
  expect(inputs.at(-1)!.present).toEqual(['2', '0']);
  expect(made.stuck.map(({ entity }) => entity)).not.toContain('machine 0');
  callers.advance(60_000);
  expect((await make([])).awaited).toBe(0);
  expect(inputs.at(-1)!.present).toEqual(['2']);
});

test('what a cloud refuses for a while is made when it recovers', async () => {
  await addMachines(1);
  const made = await make(['cloud says quota', 'cloud refuses the credential', '5m: cloud recovers']);
  expect(made.end.machines).toEqual({ all: 1, well: 1 });
  expect(made['at-rest']).toBeGreaterThan(300);
});

test('an event that is not possible says why', async () => {
  await addMachines(1);
  const made = await make(['1m: machine 0 is lost', '2m: machine 0 stops', '3m: machine 0 is lost']);
  expect(made.timeline.filter(({ entity }) => entity === 'event').map(({ what }) => what)).toEqual([
    'machine 0 is lost',
    'machine 0 stops',
    'without effect: machine 0 is gone already',
    'machine 0 is lost',
    'without effect: machine 0 is gone already',
  ]);
  expect(made.end.machines).toEqual({ all: 1, well: 0 });
});

test('events that name what the model and its cloud do not have are refused', async () => {
  await addMachines(1);
  player = () => Promise.reject(new Error('not played'));
  const refused = async (event: string, message: string): Promise<void> =>
    expect(make([event])).rejects.toMatchObject({
      code: 'not found',
      message: `event "${event}": ${message}`,
    });
  await refused('machine 7 is lost', 'machine 7 not found; model default has machine 0');
  await refused('remove-application gone', 'application "gone" not found');
  await refused('zone b fails', 'zone "b" not found; the cloud has no zones');
});

test('events of one time happen in the order in which they were given', async () => {
  await addMachines(1);
  const events = [
    'cloud says quota',
    'machine 0 stops',
    'cloud recovers',
    'controller is killed',
    'cloud is silent',
  ];
  const { timeline } = await make(events);
  const told = timeline.flatMap(({ entity, what }) => (entity === 'event' ? [what] : []));
  expect(told.filter((what) => !what.startsWith('without effect'))).toEqual(events);
});

test('equal seeds give equal forecasts', async () => {
  await addMachines(3);
  const events = ['1m: machine 1 is lost', '2m: controller is killed'];
  expect(await make(events, { seed: 5 })).toEqual(await make(events, { seed: 5 }));
});

test('the copy has nothing secret', async () => {
  const secret = 'hunter2';
  await addMachines(1);
  await callers.change((tx) => {
    tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce: 'n', passwordHash: secret });
    const settings = { relation: '0', owner: 'web/0', values: { password: secret }, version: 3 };
    tx.put('settings', settingsId(settings), settings);
    tx.put('unit-state', 'web/0', { unit: 'web/0', lastHook: '', agent: {}, charm: { key: secret } });
    tx.put('leader-settings', 'web', { application: 'web', values: { key: secret }, version: 1 });
    const root = tx.in('');
    const model = root.get('model', tx.space)!;
    const cloud = root.get('cloud', model.cloud)!;
    root.put('cloud', cloud.name, { ...cloud, config: { token: secret } });
    const credential = { cloud: cloud.name, owner: 'admin', name: 'c', authType: 'empty' };
    root.put('credential', 'c', { ...credential, attributes: { secret } });
    root.put('model', tx.space, {
      ...model,
      credential: 'c',
      config: { ...model.config, token: `sealed:1:${secret}` },
    });
  });
  player = () => Promise.reject(new Error('not played'));
  await expect(make([])).rejects.toThrow();
  const kinds = inputs[0]!.documents.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['settings', 'unit-state', 'leader-settings', 'credential']));
  expect(JSON.stringify(inputs)).not.toContain(secret);
});

test('one forecast is made at a time, and ends with its connection', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  player = (_input, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      begin();
    });
  const connection = callers.connect('10.0.0.7');
  const first = callers.call('Forecasts', 'Make', { events: [], horizon: 60 }, { connection });
  const failed = expect(first).rejects.toMatchObject({ code: 'stopped' });
  await begun;
  await expect(make([])).rejects.toMatchObject({ code: 'try again' });
  connection.end();
  await failed;
  player = (input) => play(input, { now: realNow });
  expect((await make([])).played).toBe(600);
});

test('a forecast ends when its real time is over', async () => {
  await addMachines(1);
  let now = 0;
  // Each look at the clock takes a second.
  realNow = () => (now += 1000);
  const made = await make([]);
  expect(inputs[0]!.wallMs).toBe(limits.forecastTime.max * 1000);
  expect(made).toMatchObject({ 'used-up': 'time' });
  expect(made.played).toBeLessThan(60);
});

test('a forecast ends with what it knows when its memory is used up', async () => {
  await addMachines(1);
  let used = 0;
  let now = 0;
  player = (input) => play(input, { now: () => (now += 50), memory: () => (used += 0.1) });
  const made = await make([]);
  expect(made).toMatchObject({ 'used-up': 'memory', end: { machines: { all: 1 } } });
  expect(made.played).toBeLessThan(600);
  expect(made.due).toBeUndefined();
});

test('the horizon and the size of the model are limited', async () => {
  player = () => Promise.reject(new Error('not played'));
  const refused = { code: 'quota limit exceeded' };
  const { max } = limits.forecastHorizon;
  await expect(make([], { horizon: max + 1 })).rejects.toMatchObject(refused);
  await expect(make([], { horizon: max })).rejects.not.toMatchObject(refused);
  await addMachines(1);
  const machine = callers.view().get('machine', '0')!;
  const entities = limits.forecastEntities.max;
  await callers.change((tx) => {
    for (let n = 1; n < entities; n++) tx.put('machine', String(n), { ...machine, id: String(n) });
  });
  await expect(make([])).rejects.not.toMatchObject(refused);
  await callers.change((tx) => tx.put('machine', String(entities), { ...machine, id: String(entities) }));
  await expect(make([])).rejects.toMatchObject({
    ...refused,
    message: `units and machines of a forecast: ${entities + 1} entries exceed the limit of ${entities}`,
  });
});

test('files come with the events that apply them, and their size is limited', async () => {
  player = () => Promise.reject(new Error('not played'));
  const none = { charms: [], resources: [], prune: false, force: false, replace: [], 'map-machines': '' };
  const file = { name: 'shop.yaml', text: '{}', ...none };
  await expect(make(['1m: apply shop.yaml'])).rejects.toMatchObject({
    code: 'not valid',
    message: 'event "apply shop.yaml": the request has no file "shop.yaml"',
  });
  await expect(make(['1m: apply shop.yaml'], { files: [file] })).rejects.toThrow('not played');
  expect(inputs.at(-1)!.files).toEqual([file]);
  const { max } = limits.forecastFiles;
  await expect(make([], { files: [{ ...file, text: ' '.repeat(max) }] })).rejects.toMatchObject({
    code: 'quota limit exceeded',
    message: expect.stringContaining(`exceed the limit of ${max}`) as string,
  });
});

test('the bytes of the copy are limited', async () => {
  player = () => Promise.reject(new Error('not played'));
  const size = 200_000;
  await callers.change((tx) => {
    for (let n = 0; n <= limits.forecastBytes.max / size; n++)
      tx.put('annotation', `n${n}`, { tag: `n${n}`, values: { text: 'x'.repeat(size) } });
  });
  await expect(make([])).rejects.toMatchObject({
    code: 'quota limit exceeded',
    message: expect.stringContaining(limits.forecastBytes.of) as string,
  });
});

test('who may read the model may ask, and nobody else', async () => {
  await callers.addUser('eve');
  const params = { events: [], horizon: 60 };
  const ask = (): Promise<Made> => callers.call('Forecasts', 'Make', params, { as: 'eve' });
  await expect(ask()).rejects.toThrow('permission denied');
  await callers.grant('eve', 'read');
  expect((await ask()).played).toBe(60);
});
