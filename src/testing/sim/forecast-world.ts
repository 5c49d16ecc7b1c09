/** Worlds whose future a forecast must know: a small model whose hooks and starts always take the same time. */
import { hasCode } from '../../core/errors.ts';
import { hookKey, type KnownDurations } from '../../core/forecast/durations.ts';
import type { Happening } from '../../core/forecast/events.ts';
import type { Entities } from '../../core/kinds.ts';
import { unitApplication } from '../../core/names.ts';
import { createRandom, type Random } from '../../forecast/world/random.ts';
import { callOf } from '../../forecast/user.ts';
import type { Reader } from '../../store/store.ts';
import { zoneNames } from './cloud.ts';
import { createWorld } from './create-world.ts';
import type { SimCharm, SimOperator, World, WorldDurations } from './world.ts';

/** Durations of the worlds, which are those that forecasts assume where a history knows none. */
export const usual = { install: 30_000, hook: 3_000, ofStart: 15_000, ofOtherCalls: 300, boot: 30_000 };
const metadata: Readonly<Record<string, SimCharm['metadata']>> = {
  web: { requires: { db: { interface: 'sql' } }, peers: { ring: { interface: 'ring' } } },
  db: { provides: { server: { interface: 'sql' } } },
  cache: {},
  logger: { subordinate: true, requires: { host: { interface: 'juju-info', scope: 'container' } } },
};

/** Hooks that may fail, and the time of each: so short that no retry is under way when the two ends are compared. */
const mayFail = ['start', 'stop'] as const;
const mayFailMs = 1;

const durations: WorldDurations = {
  ofStart: usual.ofStart,
  ofOtherCalls: usual.ofOtherCalls,
  boot: () => usual.boot,
  hook: (_unit, name) =>
    name === 'install' ? usual.install : mayFail.some((one) => one === name) ? mayFailMs : usual.hook,
};

/** What forecasts of these worlds know of durations. */
export const known: KnownDurations = {
  hooks: Object.fromEntries(
    Object.keys(metadata).flatMap((application) =>
      mayFail.map((hook) => [hookKey(application, hook), mayFailMs]),
    ),
  ),
  start: usual.ofStart,
  boot: usual.boot,
};

export class ForecastWorld {
  readonly world: World;
  readonly random: Random;
  model = '';
  /** Hooks that fail, by unit or application. */
  readonly failing = new Map<string, string>();
  #acts = true;
  #isOver = false;

  /** Creates the world; its users begin when it runs. */
  static async open(seed: number): Promise<ForecastWorld> {
    return new ForecastWorld(await createWorld({ seed, durations }));
  }

  private constructor(world: World) {
    this.world = world;
    this.random = createRandom(world.seed, 'forecast');
    world.operator((operator) => this.#build(operator));
  }

  view(): Reader<Entities> {
    return this.world.controller.read().in(this.model);
  }

  /** Makes it happen in so many milliseconds, as the words of the event say. */
  happenIn(ms: number, what: Happening): void {
    const { world } = this;
    world.at(world.now() + ms, 'event', () => this.#happen(what));
  }

  async #build(operator: SimOperator): Promise<void> {
    const { random } = this;
    this.model = await operator.addModel('m', { 'update-status-hook-interval': '60m' });
    const deployed = ['web', 'db', 'cache'].filter(() => random.chance(0.7));
    for (const application of deployed) await this.#deploy(operator, application, random.int(1, 4));
    const has = (...names: string[]): boolean => names.every((name) => deployed.includes(name));
    const relate = (...endpoints: string[]): Promise<unknown> =>
      operator.call(this.model, 'Application', 'AddRelation', { endpoints });
    if (has('web', 'db') && random.chance(0.7)) await relate('web:db', 'db:server');
    if (has('web') && random.chance(0.4)) {
      await this.#deploy(operator, 'logger', 0);
      await relate('logger:host', 'web:juju-info');
    }
    for (let n = random.int(0, 4); n > 0; n--) {
      this.#acts = false;
      await operator.sleep(random.skewed(1_000, 200_000));
      if (this.#isOver) return;
      this.#acts = true;
      await this.#change(operator);
    }
    this.#acts = false;
  }

  /** Runs until no command is on its way, and lets its users give no other. */
  async rest(): Promise<void> {
    this.#isOver = true;
    await this.world.runUntil(() => !this.#acts, 60_000);
  }

  /** Does what users do before the forecast. */
  async #change(operator: SimOperator): Promise<void> {
    const { random } = this;
    const units = [...this.view().list('unit')].filter(({ principal }) => principal === undefined);
    const unit = units[random.int(0, units.length)]?.name;
    if (unit === undefined) return;
    const application = unitApplication(unit);
    if (random.chance(0.3)) return void this.failing.set(unit, mayFail[random.int(0, 2)]!);
    const { facade, method, params } = callOf(
      random.chance(0.6)
        ? { do: 'add-unit', application, units: random.int(1, 3) }
        : { do: 'remove-unit', unit, force: false },
    );
    await operator.call(this.model, facade, method, params);
  }

  async #deploy(operator: SimOperator, application: string, units: number): Promise<void> {
    const url = await operator.addCharm(this.model, {
      name: application,
      metadata: metadata[application] ?? {},
      run: async ({ unit, name, context }) => {
        if (this.failing.get(unit) === name || this.failing.get(application) === name)
          return { kind: 'failed', code: 1, message: 'exit status 1' };
        if (name === 'start') await context.setStatus('workload', 'active', '');
        return undefined;
      },
    });
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const one = { application, 'charm-url': url, 'num-units': units };
    const more = { channel: '', 'config-yaml': '', constraints: {}, Force: false };
    const origin = { 'charm-origin': { source: 'local', type: 'charm', base } };
    await operator.call(this.model, 'Application', 'Deploy', {
      applications: [{ ...one, ...more, ...origin }],
    });
  }

  #happen(what: Happening): void {
    const { world } = this;
    switch (what.kind) {
      case 'machine':
      case 'cut-off': {
        const host = world.machines.findLast(({ model, id }) => model === this.model && id === what.machine);
        if (!host || host.state === 'released') return;
        if (what.kind === 'cut-off') return host.partition(what.forMs);
        if (what.how === 'lost') return host.lose('vanishes');
        if (what.how === 'stops') return host.halt();
        return what.how === 'reboots' ? host.reboot() : host.crash();
      }
      case 'zone': {
        world.cloud.setZone(what.zone, what.fails ? 'unavailable' : 'available');
        const inZone = new Set(
          world.cloud.instances().flatMap(({ id, zone }) => (zone === what.zone ? [id] : [])),
        );
        for (const host of world.machines) if (what.fails && inZone.has(host.instance)) host.lose('stays');
        return;
      }
      case 'cloud':
        if (what.how === 'quota') world.cloud.setQuota(Math.max(1, world.cloud.instances().length));
        if (what.how === 'credential')
          world.cloud.refuseCredential('the credential is not accepted any more');
        if (what.how !== 'recovers') return;
        world.cloud.setQuota(0);
        return world.cloud.refuseCredential(undefined);
      case 'controller-killed':
        return world.controller.crash();
      case 'hook':
        return void this.failing.set(
          'unit' in what.units ? what.units.unit : what.units.application,
          what.hook,
        );
      case 'command': {
        const { facade, method, params } = callOf(what.command);
        world.operator(async (operator) => {
          await operator.call(this.model, facade, method, params).catch((error: unknown) => {
            if (!hasCode(error, 'not found')) throw error;
          });
        });
        return;
      }
      case 'apply':
        throw new Error('files are applied by other tests');
    }
  }
}

/**
 * Draws events, `90s: machine 3 is lost`, about what the model has. The first may be a minute after the copy: until
 * then a forecast does again what was under way. They are half a minute apart, so that chance does not decide which is
 * first.
 */
export function eventsFor(view: Reader<Entities>, random: Random): string[] {
  const one = <T>(all: readonly T[]): T => all[random.int(0, all.length)]!;
  const machines = [...view.list('machine')].map(({ id }) => id);
  const principals = [...view.list('unit')].filter(({ principal }) => principal === undefined);
  const units = principals.map(({ name }) => name);
  if (units.length === 0 || machines.length === 0) return [];
  const draw = (): string => {
    const machine = one(machines);
    const unit = one(units);
    return one([
      `machine ${machine} is lost`,
      `machine ${machine} stops`,
      `machine ${machine} reboots`,
      `machine ${machine} is cut off for 10m`,
      `agent of machine ${machine} is killed`,
      'controller is killed',
      `zone ${one(zoneNames)} fails`,
      'cloud says quota',
      'cloud refuses the credential',
      'cloud recovers',
      `unit ${unit} fails stop`,
      `application ${unitApplication(unit)} fails start`,
      `add-unit ${unitApplication(unit)} ${random.int(1, 3)}`,
      `remove-unit ${unit}`,
      `remove-unit ${unit} --force`,
      `remove-application ${unitApplication(unit)}`,
      `remove-machine ${machine} --force`,
      `resolved ${unit}`,
    ]);
  };
  let seconds = 30;
  return Array.from({ length: random.int(0, 4) }, () => {
    seconds += random.int(30, 300);
    return `${seconds}s: ${draw()}`;
  });
}
