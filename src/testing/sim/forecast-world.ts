/** Worlds whose future a forecast must know: a small model whose hooks and starts always take the same time. */
import { JujuError } from '../../core/errors.ts';
import { hookKey, type KnownDurations } from '../../core/forecast/durations.ts';
import type { Happening } from '../../core/forecast/events.ts';
import type { Entities } from '../../core/kinds.ts';
import { unitApplication } from '../../core/names.ts';
import { createRandom, type Random } from '../../forecast/world/random.ts';
import { callOf } from '../../forecast/user.ts';
import type { Reader } from '../../store/store.ts';
import { Acknowledged } from './acknowledged.ts';
import { createWorld } from './create-world.ts';
import { FileJudge } from './file-judge.ts';
import { applications, change, deployment, drawUnit, forecastCharm } from './forecast-commands.ts';
import { giveCommand } from './give-command.ts';
import type { Command } from './script.ts';
import type { SimOperator, World, WorldDurations } from './world.ts';

/** Durations of the worlds, which are those that forecasts assume where a history knows none. */
export const usual = {
  install: 30_000,
  hook: 3_000,
  ofStart: 15_000,
  ofOtherCalls: 300,
  boot: 30_000,
  reboot: 30_000,
};
/** Hooks that may fail, and the time of each: so short that no retry is under way when the two ends are compared. */
const mayFail = ['start', 'stop'] as const;
const mayFailMs = 1;

const durations: WorldDurations = {
  ofStart: usual.ofStart,
  ofOtherCalls: usual.ofOtherCalls,
  boot: () => usual.boot,
  reboot: usual.reboot,
  containerStart: () => usual.ofStart,
  hook: (_unit, name) =>
    name === 'install' ? usual.install : mayFail.some((one) => one === name) ? mayFailMs : usual.hook,
};

/** What forecasts of these worlds know of durations. */
export const known: KnownDurations = {
  hooks: Object.fromEntries(
    applications.flatMap((application) => mayFail.map((hook) => [hookKey(application, hook), mayFailMs])),
  ),
  start: usual.ofStart,
  containerBoot: usual.boot,
  seen: { hooks: 0, runs: 0, starts: 0, boots: 0, containerStarts: 0, containerBoots: 0 },
  boot: usual.boot,
};

export class ForecastWorld {
  readonly world: World;
  readonly random: Random;
  model = '';
  /** Hooks that fail, by unit or application. */
  readonly failing = new Map<string, string>();
  readonly #acknowledged: Acknowledged;
  readonly #files: FileJudge;
  #acts = true;
  #isOver = false;

  /** Creates the world; its users begin when it runs. */
  static async open(seed: number): Promise<ForecastWorld> {
    return new ForecastWorld(await createWorld({ seed, durations }));
  }

  private constructor(world: World) {
    this.world = world;
    this.random = createRandom(world.seed, 'forecast');
    this.#acknowledged = new Acknowledged(() => world.now());
    this.#files = new FileJudge(world);
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
    for (const command of deployment(random)) await this.#give(operator, command);
    for (let n = random.int(0, 6); n > 0; n--) {
      this.#acts = false;
      await operator.sleep(random.skewed(1_000, 150_000));
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

  async #change(operator: SimOperator): Promise<void> {
    const { random } = this;
    const unit = drawUnit(this.view(), random);
    if (unit !== undefined && random.chance(0.2))
      return void this.failing.set(unit, mayFail[random.int(0, 2)]!);
    const command = change(this.view(), random);
    if (command) await this.#give(operator, command);
  }

  /** Gives a command, which may be refused. */
  async #give(operator: SimOperator, command: Command): Promise<void> {
    const desk = {
      world: this.world,
      operator,
      models: [this.model],
      acknowledged: this.#acknowledged,
      charmFor: (name: string, { peer } = { peer: false }) =>
        forecastCharm(name, { peer, fails: (unit, hook) => this.#fails(unit, hook) }),
      files: this.#files,
      onForce: () => undefined,
      onGiven: () => undefined,
    };
    await giveCommand(desk, this.model, command).catch((error: unknown) => {
      if (!(error instanceof JujuError)) throw error;
    });
  }

  #fails(unit: string, hook: string): boolean {
    return this.failing.get(unit) === hook || this.failing.get(unitApplication(unit)) === hook;
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
            if (!(error instanceof JujuError)) throw error;
          });
        });
        return;
      }
      case 'apply':
        throw new Error('files are applied by other tests');
    }
  }
}
