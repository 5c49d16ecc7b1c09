/** Forecasts of a model that has run: what was so at the copy goes on, and what is assumed has its consequences. */
import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { parseEvents } from '../core/forecast/events.ts';
import type { ForecastFile } from '../core/forecast/file.ts';
import type { Forecast } from '../core/forecast/forecast.ts';
import { statusId } from '../core/status.ts';
import { Forecasts } from '../controller/forecasts/forecasts.ts';
import type { Services } from '../controller/services.ts';
import { systemNextTurn } from '../kit/clock.ts';
import type { Environ } from '../providers/contract/provider.ts';
import { createWorld } from '../testing/sim/create-world.ts';
import { play } from './play.ts';

const horizonMs = 1_800_000;
let forecast: (...events: readonly string[]) => Promise<Forecast>;
/** Steps that a forecast may take. */
let stepsMax = Infinity;
/** Steps of the last forecast: looks at the real time. */
let steps = 0;
/** Files that events apply. */
let files: ForecastFile[] = [];
/** Hash of the charm of the application web. */
let sha256OfWeb = '';
/** When the failed hook runs again, as its agent says, in ms since 1970. */
let retryAt = NaN;
/** Machine of each unit. */
const machines = new Map<string, string>();

beforeAll(async () => {
  const world = await createWorld({ seed: 3 });
  let model = '';
  world.operator(async (operator) => {
    model = await operator.addModel('m');
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    for (const application of ['web', 'bad']) {
      const url = await operator.addCharm(model, {
        name: application,
        metadata: { peers: { ring: { interface: 'ring' } } },
        run: async ({ name, context }) => {
          if (application === 'bad' && name === 'start') return { kind: 'failed', code: 1 };
          if (name === 'start') await context.setStatus('workload', 'active', `${application} is ready`);
          return undefined;
        },
      });
      const one = { application, 'charm-url': url, 'num-units': application === 'web' ? 3 : 1 };
      const more = { channel: '', 'config-yaml': '', constraints: {}, Force: false };
      const origin = { 'charm-origin': { source: 'local', type: 'charm', base } };
      const params = { applications: [{ ...one, ...more, ...origin }] };
      await operator.call(model, 'Application', 'Deploy', params);
    }
  });
  await world.runFor(600_000);
  expect(world.failures).toEqual([]);
  const view = world.controller.read().in(model);
  for (const { name, machine = '' } of view.list('unit')) machines.set(name, machine);
  const { status, data } = view.get('status', statusId('unit-agent', 'bad/0'))!;
  expect(status).toBe('error');
  retryAt = Date.parse(String(data?.['retry-at']));
  sha256OfWeb = view.get('charm', 'local:web-0')!.sha256;
  const { store, composed } = world.controller.running!;
  await world.stop();
  const zones = {
    list: () => Promise.resolve(['zone1', 'zone2', 'zone3'].map((name) => ({ name, available: true }))),
  };
  const { clock } = composed.services;
  const services: Services = {
    ...composed.services,
    nextTurn: systemNextTurn,
    clock: { now: () => clock.now(), sleep: () => new Promise(() => undefined) },
    environ: (uuid, reader): Environ => ({ ...composed.services.environ(uuid, reader), zones }),
  };
  const maker = new Forecasts((input) => {
    steps = 0;
    return play({ ...input, wallMs: stepsMax }, { now: () => ++steps });
  });
  const { signal } = new AbortController();
  forecast = (...texts) =>
    maker.make(
      { ...services, store },
      { modelUuid: model, horizonMs, seed: 1, events: parseEvents(texts, horizonMs), files },
      signal,
    );
});

const stuckOf = ({ stuck }: Forecast): string[] => stuck.map(({ entity }) => entity).sort();

describe('a model that has run', () => {
  test('stays as it is when nothing happens: no hook runs again but the failed one, which fails', async () => {
    const made = await forecast();
    expect(made.timeline.filter(({ entity }) => entity !== 'unit bad/0')).toEqual([]);
    expect(stuckOf(made)).toEqual(['unit bad/0']);
    expect(made.stuck[0]!.sinceMs).toBe(0);
    const [next] = made.stuck[0]!.next;
    expect(next).toMatchObject({ kind: 'operator', hook: { name: 'start' } });
    expect(next!.task).toMatch(/; the agent retries it at \d\d:\d\d:\d\dZ$/);
  });

  test('is not at rest while a failed hook is retried, but for that nothing changes', async () => {
    const made = await forecast();
    expect(made.atRestMs).toBeUndefined();
    expect(made.changedMs).toBe(0);
    expect(made.retriedHooks).toBe(1);
    const [retried] = made.retried;
    expect(retried).toMatchObject({ entity: 'unit bad/0', hook: 'start' });
    expect(retried!.nextMs).toBeGreaterThanOrEqual(horizonMs);
    expect(retried!.nextMs).toBeLessThan(horizonMs + 5.5 * 60_000);
  });

  test('retries a failed hook when its agent has said', async () => {
    const { beganMs, atRestMs } = await forecast('1s: unit bad/0 recovers');
    const lateMs = beganMs + atRestMs! - retryAt;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(30_000);
  });

  test('is at rest once the failed hook succeeds', async () => {
    const made = await forecast('1m: unit bad/0 recovers');
    expect(made.retried).toEqual([]);
    expect(made.stuck).toEqual([]);
    expect(made.atRestMs).toBeGreaterThanOrEqual(60_000);
    expect(made.changedMs).toBe(made.atRestMs);
  });

  test('is not played on once all rests and nothing is left that may change', async () => {
    const mends = '1m: unit bad/0 recovers';
    const made = await forecast(mends);
    const early = steps;
    const whole = await forecast(mends, '29m: cloud recovers');
    expect(early).toBeLessThan(0.8 * steps);
    expect(made).toMatchObject({ playedMs: horizonMs, atRestMs: whole.atRestMs, end: whole.end });
  });

  test('is played on while a machine is cut off for long', async () => {
    const machine = machines.get('web/1')!;
    const made = await forecast('1s: unit bad/0 recovers', `1m: machine ${machine} is cut off for 20m`);
    expect(made.stuck).toEqual([]);
    expect(made.timeline.at(-1)!.what).toMatch(/^its agent is back after 20m/);
  });

  test('tells which hooks of relations were due when its time was used up', async () => {
    let made: Forecast;
    const add = '1s: add-unit web 100';
    try {
      stepsMax = 10_000;
      made = await forecast(add, '1s: unit bad/0 recovers');
    } finally {
      stepsMax = Infinity;
    }
    expect(made.playedMs).toBeLessThan(horizonMs);
    expect(made.usedUp).toBe('time');
    const { hooks, untilMs } = made.due!;
    expect(hooks).toBeGreaterThan(0);
    expect(hooks).toBeLessThanOrEqual(103 * 102 * 2);
    expect(untilMs).toBeGreaterThan(made.playedMs);
  });

  test('tells from how much of its history the times are', async () => {
    const { durations } = await forecast();
    expect(durations).toMatchObject({ starts: 4, containerStarts: 0, containerBoots: 0 });
    expect(durations.boots).toBeGreaterThan(0);
    expect(durations.hooks).toBeGreaterThan(4);
    expect(durations.runs).toBeGreaterThan(durations.hooks);
  });

  test('gets a unit, whose status is what the others have', async () => {
    const made = await forecast('1m: add-unit web');
    expect(made.timeline.map(({ entity, what }) => `${entity}: ${what}`)).toContain(
      'unit web/3: workload status active: web is ready',
    );
    expect(made.end.units).toEqual({ all: 5, well: 4 });
    expect(made.changedMs).toBeGreaterThan(60_000);
  });

  test('loses a machine and its unit, and has them again when the machine is replaced', async () => {
    const machine = machines.get('web/1')!;
    const lost = await forecast(`5m: machine ${machine} is lost`);
    expect(stuckOf(lost)).toEqual([`machine ${machine}`, 'unit bad/0', 'unit web/1'].sort());
    const replaced = await forecast(`5m: machine ${machine} is lost`, `15m: reprovision-machine ${machine}`);
    expect(stuckOf(replaced)).toEqual(['unit bad/0']);
  });

  test.each([
    ['a machine', () => `machine ${machines.get('web/1')!} is lost`],
    ['a zone', () => 'zone zone1 fails'],
  ])('changes when %s is lost from the beginning', async (_, event) => {
    const made = await forecast(event());
    expect(stuckOf(made).some((entity) => entity.startsWith('machine '))).toBe(true);
    expect(made.changedMs).toBeGreaterThan(0);
    for (const { entity, sinceMs } of made.stuck)
      if (entity !== 'unit bad/0') expect(sinceMs).toBeGreaterThan(0);
  });

  test.each([
    ['stops', 'stops'],
    ['is cut off', 'is cut off for 5m'],
  ])('has a machine that %s at once', async (_, what) => {
    const machine = machines.get('web/1')!;
    const made = await forecast(`machine ${machine} ${what}`);
    expect(made.timeline.map(({ what: line }) => line)).not.toContainEqual(
      expect.stringContaining('without effect'),
    );
    expect(made.changedMs).toBeGreaterThan(0);
    expect(stuckOf(made)).toEqual(['unit bad/0']);
  });

  test('says what does not run when it should stop, reboot or have its agent killed', async () => {
    const machine = machines.get('web/1')!;
    const made = await forecast(
      'cloud is silent',
      `1s: machine ${machine} stops`,
      ...['stops', 'reboots'].map((what) => `2s: machine ${machine} ${what}`),
      `2s: agent of machine ${machine} is killed`,
    );
    const said = made.timeline.filter(({ what }) => what === `without effect: machine ${machine} is stopped`);
    expect(said).toHaveLength(3);
  });

  test('is at rest when the last line of its course has happened', async () => {
    const { timeline, changedMs } = await forecast(
      ...['web/0', 'web/1', 'web/2'].map((unit) => `machine ${machines.get(unit)!} is lost`),
    );
    const others = timeline.filter(({ entity }) => entity !== 'unit bad/0' && entity !== 'event');
    expect(others.map(({ what }) => what)).toContain('is no longer the leader');
    expect(changedMs).toBeGreaterThanOrEqual(others.at(-1)!.atMs);
  });

  test('loses the machines of a zone', async () => {
    const failed = await forecast('1m: zone zone1 fails');
    expect(stuckOf(failed).some((entity) => entity.startsWith('machine '))).toBe(true);
    await expect(forecast('1m: zone b fails')).rejects.toThrow(
      'event "zone b fails": zone "b" not found; the cloud has zones zone1, zone2, zone3',
    );
  });

  test('has a hook that recovers', async () => {
    const made = await forecast('1m: unit bad/0 recovers', '2m: resolved bad/0');
    expect(stuckOf(made)).toEqual([]);
  });

  test('has a failed hook from now on, and goes on after a crash of the controller', async () => {
    const made = await forecast(
      '1m: application web fails install',
      '2m: add-unit web',
      '3m: controller is killed',
    );
    expect(stuckOf(made)).toEqual(['unit bad/0', 'unit web/3']);
  });

  test('tells when what was interrupted is back, and which hooks ran', async () => {
    const machine = machines.get('web/1')!;
    const { timeline } = await forecast(
      `1m: machine ${machine} reboots`,
      `5m: agent of machine ${machine} is killed`,
      '8m: controller is killed',
      `12m: machine ${machine} is cut off for 5m`,
      `20m: machine ${machine} is cut off for 1s`,
    );
    const told = timeline.flatMap(({ atMs, entity, what }) =>
      /is back after|kept its connection/.test(what) ? [{ atMs, line: `${entity}: ${what}` }] : [],
    );
    expect(told.map(({ line }) => line.replaceAll(/after \w+/g, 'after TIME'))).toEqual([
      `machine ${machine}: its agent is back after TIME; hooks run: web/1 start`,
      `machine ${machine}: its agent is back after TIME; no hook ran`,
      'controller: is back after TIME, and the agents of 4 machines after TIME',
      `machine ${machine}: its agent is back after TIME; no hook ran`,
      `machine ${machine}: its agent has kept its connection`,
    ]);
    const [rebooted, , , , held] = told;
    expect(rebooted!.atMs).toBeGreaterThan(90_000);
    expect(rebooted!.atMs).toBeLessThan(130_000);
    expect(held!.atMs).toBe(20 * 60_000 + 1_000);
    expect(timeline.map(({ atMs }) => atMs)).toEqual(
      timeline.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
    );
  });

  test('ends an application', async () => {
    const made = await forecast('1m: remove-application web');
    expect(made.end).toEqual({ units: { all: 1, well: 0 }, machines: { all: 1, well: 1 } });
  });

  describe('to which a file is applied', () => {
    const charm = (name: string, more: object = {}) => ({
      path: `/charms/${name}`,
      files: { 'metadata.yaml': { name, summary: name, description: name, ...more } },
      revision: 0,
      hashes: {},
    });
    const blob = { blob: { type: 'file', filename: 'blob.bin', description: '' } };
    const web = { charm: 'local:web-0', num_units: 3 };
    const bad = { charm: 'local:bad-0', num_units: 1 };
    const file = (raw: object, more: Partial<ForecastFile> = {}): void => {
      const none = { charms: [], resources: [], prune: false, force: false, replace: [], 'map-machines': '' };
      files = [{ name: 'shop.yaml', text: JSON.stringify(raw), ...none, ...more }];
    };
    const linesOf = ({ timeline }: Forecast): string[] =>
      timeline.flatMap(({ entity, what }) => (entity === 'apply shop.yaml' ? [what] : []));

    test('gets what the file adds, and what it already has stays untouched', async () => {
      file(
        { applications: { web: { ...web, num_units: 4 }, db: { charm: '/charms/db', num_units: 1 } } },
        { charms: [charm('db')] },
      );
      const made = await forecast('5m: apply shop.yaml');
      expect(linesOf(made)).toEqual([
        'upload charm /charms/db',
        'deploy application db on ubuntu@24.04 using /charms/db',
        'add unit db/0 to new machine',
        'add unit web/3 to new machine',
        'done',
      ]);
      expect(made.timeline.filter(({ entity }) => entity.startsWith('model file'))).toEqual([]);
      expect(stuckOf(made)).toEqual(['unit bad/0']);
      expect(made.end.units).toEqual({ all: 6, well: 5 });
    });

    test('has an application that waits for another, which never is what the gate asks', async () => {
      file(
        { applications: { bad, db: { charm: '/charms/db', num_units: 1, after: { bad: 'active' } } } },
        { charms: [charm('db')] },
      );
      const made = await forecast('apply shop.yaml');
      expect(stuckOf(made)).toEqual(['application db', 'unit bad/0', 'unit db/0']);
      const { explanation } = made.stuck.find(({ entity }) => entity === 'application db')!;
      expect(JSON.stringify(explanation)).toContain('bad');
    });

    test('has nothing to change the second time, with the charm and resource that the first time sent', async () => {
      file(
        { applications: { db: { charm: '/charms/db', num_units: 1, resources: { blob: '/blob.bin' } } } },
        {
          charms: [charm('db', { resources: blob })],
          resources: [{ name: 'blob', value: '/blob.bin', bytes: 7, fingerprint: 'ab'.repeat(48) }],
        },
      );
      const made = await forecast('apply shop.yaml', '10m: apply shop.yaml');
      expect(linesOf(made).slice(-2)).toEqual(['done', 'nothing to change']);
      expect(made.end.units.all).toBe(5);
    });

    test('has a charm of the same content already', async () => {
      const hashes = { '': sha256OfWeb };
      file(
        { applications: { web: { ...web, charm: '/charms/web' } } },
        { charms: [{ ...charm('web'), hashes }] },
      );
      expect(linesOf(await forecast('apply shop.yaml'))).toEqual(['nothing to change']);
    });

    test('is refused what a client or the controller refuses, with the reason', async () => {
      file({ applications: { web: { ...web, charm: '/charms/gone' } } });
      expect(linesOf(await forecast('apply shop.yaml'))).toEqual([
        'refused: application "web": charm "/charms/gone" not found',
      ]);
      file({ applications: { web: { ...web, num_units: limits.forecastEntities.max + 1 } } });
      expect(linesOf(await forecast('apply shop.yaml'))).toEqual([
        expect.stringMatching(/^refused: units and machines of a forecast: .* exceed the limit/),
      ]);
    });

    test('loses what the file made and no longer names, with --prune alone', async () => {
      const first = { applications: { db: { charm: 'local:web-0', num_units: 1 } } };
      file(first);
      const { name: _, ...applied } = files[0]!;
      files = [
        { ...applied, name: 'first.yaml' },
        { ...applied, name: 'shop.yaml', text: '{"applications": {}}', prune: true },
      ];
      const made = await forecast('apply first.yaml', '10m: apply shop.yaml');
      expect(linesOf(made)).toEqual([expect.stringContaining('remove application db'), 'done']);
      expect(made.end.units.all).toBe(4);
      files = files.map((one) => ({ ...one, prune: false }));
      expect(linesOf(await forecast('apply first.yaml', '10m: apply shop.yaml'))).toEqual([
        'nothing to change',
      ]);
    });
  });
});
