import { spaceSteps } from './spaces.ts';
import { accessSteps } from './generate-access.ts';
import { rollouts } from './rollouts.ts';
import { applicationNames, requiresOf, withResources } from './charms.ts';
import { Chance } from './chance.ts';
import { storageSteps, withStorage } from './generate-storage.ts';
import { blows, hangs, troubles, vaultTroubles } from './generate-troubles.ts';
import { machineCommand, to, wishes } from './generate-machines.ts';
import {
  modelOptions,
  type By,
  type Command,
  type Forced,
  type Script,
  type Step,
  type Where,
} from './script.ts';

/** Number of places for models: each place holds one at a time. */
export const modelPlaces = 2;
/** Pairs of endpoints by charm; each application of one charm may be related to each application of the other charm. */
const relatable: readonly (readonly [string, string])[] = [
  ['web', 'db'],
  ['web', 'cache'],
  ['logger', 'web'],
  ['logger', 'db'],
  ['monitor', 'db'],
  ['monitor', 'web'],
  // Endpoints of which either application could be the host of the other.
  ['monitor:feed', 'logger:feed'],
  ['shop:site', 'web'],
  ['shop:db', 'db'],
  ['shipper:host', 'web'],
  ['shipper:host', 'shop'],
  ['shipper:store', 'cache'],
  ['ping:pong', 'pong:pong'],
  ['pong:ping', 'ping:ping'],
  ['pong:db', 'db'],
];
/** Charms with requirements that are deployed together now and then. */
const requiring: readonly (readonly string[])[] = [['shop'], ['shipper', 'cache'], ['ping', 'pong']];
const requireModes: readonly string[] = modelOptions['require-endpoints'];
const hooks = [
  'install',
  'start',
  'config-changed',
  'upgrade-charm',
  'relation-created',
  'relation-joined',
  'relation-changed',
  'relation-departed',
  'relation-broken',
  'stop',
  'remove',
];

/**
 * Generates a script for a world: a small model is built, then operators act and faults happen for the given hours.
 * The same arguments give the same script.
 */
export function generateScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed);
  const endMs = hours * 3_600_000;
  const places = Array.from({ length: modelPlaces }, () => new Place(chance));
  const steps: Step[] = places.flatMap((place, model) => beginning(chance, place, model));
  let atMs = 30_000;
  while (atMs < endMs) {
    const by: By = chance.is(0.7) ? 'alice' : 'bob';
    // Most commands are for the first model.
    const model = chance.is(0.85) ? 0 : 1;
    const place = places[model]!;
    steps.push({ atMs, by, model, ...place.command() });
    // Commands also recreate entities that are being removed, before the removal has ended.
    const again = place.again();
    if (again) steps.push({ atMs: atMs + chance.below(8_000), by: 'bob', model, ...again });
    // Bursts of commands test unexpected coincidences.
    atMs += Math.round(chance.is(0.35) ? chance.below(1_500) : chance.below(30_000));
  }
  steps.push(
    ...troubles(chance, endMs),
    ...blows(chance, endMs),
    ...actions(new Chance(seed), endMs),
    ...refreshes(seed, endMs),
    ...storageSteps(new Chance(seed ^ 0xd15c), endMs),
    ...hangs(new Chance(seed ^ 0x4a46), 'volume-hung', endMs),
    ...hangs(new Chance(seed ^ 0x4a47), 'mount-hung', endMs),
    ...rollouts(seed, endMs),
    ...backends(new Chance(seed ^ 0x7a17), endMs),
    ...spaceSteps(seed, endMs),
    ...accessSteps(seed, endMs),
  );
  return {
    seed,
    hours,
    steps: steps.map((step) => withStorage(step, seed)).toSorted((a, b) => a.atMs - b.atMs),
  };
}

/**
 * Generates actions, some of which are cancelled, from a random stream of their own, so that they change no other part
 * of a script.
 */
function actions(chance: Chance, endMs: number): Step[] {
  const steps: Step[] = [];
  for (let atMs = 60_000; atMs < endMs; atMs += 1_000 + chance.below(60_000)) {
    const application = chance.of(['db', 'db', 'web', 'cache']);
    steps.push({ atMs, by: 'bob', model: 0, do: 'run-action', application, pick: chance.below(3) });
    if (chance.is(0.4))
      steps.push({
        atMs: atMs + chance.below(60_000),
        by: 'bob',
        model: 0,
        do: 'cancel-task',
        pick: chance.below(2),
      });
  }
  return steps;
}

function beginning(chance: Chance, place: Place, model: number): Step[] {
  const small = model > 0;
  const commands: Command[] = [
    place.deploy('db', 1 + chance.below(small ? 1 : 3)),
    ...(small ? [] : [place.deploy('web', 1 + chance.below(2)), place.deploy('logger', 0)]),
    ...(small || chance.is(0.5) ? [] : [place.deploy('monitor', 0)]),
    ...(small || chance.is(0.5) ? [] : chance.of(requiring).map((name) => place.deploy(name, 1))),
  ];
  const related = small ? [] : Array.from({ length: 1 + chance.below(4) }, () => place.integrate());
  return [
    ...commands.map((command, n): Step => ({ atMs: n, by: 'alice', model, ...command })),
    ...related.map((command): Step => ({ atMs: chance.below(60_000), by: 'bob', model, ...command })),
  ];
}

/**
 * Generates refreshes, mostly of applications that exist from the beginning, from a random stream of their own: no
 * other step depends on them.
 */
function refreshes(seed: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0x5eed);
  const steps: Step[] = [];
  for (let atMs = chance.below(90_000); atMs < endMs; atMs += chance.below(90_000)) {
    const application = chance.of(chance.is(0.8) ? ['db', 'web', 'logger'] : applicationNames);
    const command = { application, forceUnits: chance.is(0.3), peer: chance.is(0.4) };
    steps.push({ atMs, by: 'bob', model: chance.is(0.8) ? 0 : 1, do: 'refresh', ...command });
    // An agent is killed within the upgrade.
    if (chance.is(0.3))
      steps.push({
        atMs: atMs + 1_000 + chance.below(6_000),
        blow: 'crash-agent',
        pick: chance.below(4),
        step: chance.below(12),
      });
  }
  return steps;
}

/** Generates changes of the models' secret backends, during which the controller is killed. */
function backends(chance: Chance, endMs: number): Step[] {
  const steps: Step[] = vaultTroubles(chance, endMs);
  for (let atMs = chance.below(100_000); atMs < endMs; atMs += 5_000 + chance.below(100_000)) {
    const backend = chance.of(['vault', 'vault', 'internal'] as const);
    steps.push({ atMs, by: 'alice', model: chance.is(0.85) ? 0 : 1, do: 'secret-backend', backend });
    if (chance.is(0.4))
      steps.push({ atMs: atMs + chance.below(2_000), blow: 'crash-controller', step: 1 + chance.below(40) });
  }
  return steps;
}

type Deploy = Extract<Command, { do: 'deploy' }>;
type Pair = readonly [string, string];

/** Generates commands for one model that usually make sense, by an estimate of the model's content. */
class Place {
  readonly #chance: Chance;
  readonly #applications = new Set<string>();
  #relations: Pair[] = [];
  /** Command that recreates the entity that was removed last. */
  #undo: (() => Command) | undefined;
  readonly #weights: readonly (readonly [weight: number, make: () => Command])[] = [
    [
      10,
      () => {
        const name = this.#missing();
        const how = {
          ...this.#to(name),
          ...wishes(this.#chance),
          ...this.#require(name),
          ...this.#after(name),
        };
        return this.deploy(name, 1 + this.#chance.below(2), how);
      },
    ],
    [
      9,
      () => {
        const application = this.#existing();
        return { do: 'add-unit', application, units: 1, ...this.#to(application) };
      },
    ],
    [
      12,
      () => ({
        do: 'remove-unit',
        application: this.#existing(),
        pick: this.#chance.below(4),
        fresh: this.#chance.is(0.4),
        ...this.#force(),
      }),
    ],
    [5, () => this.#removeApplication()],
    [14, () => this.integrate()],
    [7, () => this.#removeRelation()],
    [4, () => machineCommand(this.#chance)],
    [6, () => this.#removeMachine()],
    [7, () => this.#config('n', String(this.#chance.below(1000)))],
    [2, () => this.#config('slow', this.#chance.of(['0', '20', '90']))],
    [7, () => this.#config('fail', this.#chance.is(0.6) ? this.#chance.of(hooks) : '')],
    [8, () => this.#attach()],
    [5, () => this.#resolve()],
    [1, () => ({ do: 'expose', application: this.#existing() })],
    [1, () => ({ do: 'unexpose', application: this.#existing() })],
    [2, () => ({ do: 'exec', application: this.#existing(), pick: this.#chance.below(3) })],
    [2, () => ({ do: 'status' })],
    [2, () => ({ do: 'model-config', option: 'require-endpoints', value: this.#chance.of(requireModes) })],
    [2, () => ({ do: 'add-model' })],
    [1, () => this.#destroyModel()],
  ];

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  command(): Command {
    const all = this.#weights.reduce((sum, [weight]) => sum + weight, 0);
    let rest = this.#chance.below(all);
    for (const [weight, make] of this.#weights) {
      if (rest < weight) return make();
      rest -= weight;
    }
    throw new RangeError('the weights do not add up');
  }

  deploy(
    application: string,
    units: number,
    how: Pick<Deploy, 'where' | 'wishes' | 'require' | 'after'> = {},
  ): Command {
    this.#applications.add(application);
    return { do: 'deploy', application, units, ...how };
  }

  integrate(): Command {
    const pairs = relatable.flatMap(([a, b]) =>
      variants(a).flatMap((one) => variants(b).map((other): Pair => [one, other])),
    );
    const likely = pairs.filter(
      (pair) =>
        pair.every((end) => this.#applications.has(applicationOf(end))) &&
        !this.#relations.some((known) => isSame(known, pair)),
    );
    const required = likely.filter(isRequired);
    if (required.length > 0 && this.#chance.is(0.5)) return this.#integrate(this.#chance.of(required));
    return this.#integrate(this.#chance.of(likely.length > 0 && this.#chance.is(0.9) ? likely : pairs));
  }

  /** Sometimes returns a command that recreates what the last one removed. */
  again(): Command | undefined {
    const undo = this.#undo;
    this.#undo = undefined;
    return undo && this.#chance.is(0.35) ? undo() : undefined;
  }

  #integrate(ends: Pair): Command {
    this.#relations.push(ends);
    return { do: 'integrate', ends };
  }

  #removeRelation(): Command {
    const required = this.#relations.filter(isRequired);
    const known = required.length > 0 && this.#chance.is(0.3) ? required : this.#relations;
    const ends = this.#chance.of(known.length > 0 ? known : relatable);
    this.#relations = this.#relations.filter((known) => !isSame(known, ends));
    this.#undo = () => this.#integrate(ends);
    return { do: 'remove-relation', ends, ...this.#force() };
  }

  #removeApplication(): Command {
    const application = this.#existing();
    this.#applications.delete(application);
    this.#undo = () => this.deploy(application, 1);
    this.#relations = this.#relations.filter(
      (ends) => !ends.some((end) => applicationOf(end) === application),
    );
    return { do: 'remove-application', application, ...this.#force() };
  }

  #removeMachine(): Command {
    const keep = this.#chance.is(0.1);
    const fresh = this.#chance.is(0.4);
    return { do: 'remove-machine', pick: this.#chance.below(6), fresh, keep, ...this.#force(0.5) };
  }

  #destroyModel(): Command {
    this.#applications.clear();
    this.#relations = [];
    return { do: 'destroy-model', ...this.#force() };
  }

  #config(option: 'n' | 'slow' | 'fail', value: string): Command {
    return { do: 'config', application: this.#existing(), option, value };
  }

  #attach(): Command {
    const existing = withResources.filter((name) => this.#applications.has(name));
    const application = this.#chance.of(existing.length > 0 ? existing : withResources);
    return { do: 'attach', application, content: `content ${this.#chance.below(4)}` };
  }

  #resolve(): Command {
    const retry = this.#chance.is(0.5);
    return { do: 'resolve', application: this.#existing(), pick: this.#chance.below(3), retry };
  }

  /** Returns an existing application. */
  #existing(): string {
    const existing = [...this.#applications];
    return this.#chance.of(existing.length > 0 && this.#chance.is(0.95) ? existing : applicationNames);
  }

  /** Returns a new application, mostly the first of its charm. */
  #missing(): string {
    const missing = applicationNames.filter((name) => !this.#applications.has(name));
    const first = missing.filter((name) => !name.endsWith('2'));
    if (first.length > 0 && this.#chance.is(0.6)) return this.#chance.of(first);
    return this.#chance.of(missing.length > 0 ? missing : applicationNames);
  }

  #require(application: string): Pick<Deploy, 'require'> {
    const endpoints = requiresOf(application);
    return endpoints.length > 0 && this.#chance.is(0.2) ? { require: [this.#chance.of(endpoints)] } : {};
  }

  /** Returns a gate, mostly on an application that exists. A circle is refused. */
  #after(application: string): Pick<Deploy, 'after'> {
    if (!this.#chance.is(0.2)) return {};
    const other = this.#existing();
    return other === application ? {} : { after: { [other]: 'active' } };
  }

  /** Returns a placement. For waiting units, the named machine may be gone when they are placed. */
  #to(application: string): { where?: Where; reuse?: boolean } {
    return to(this.#chance, isRequired([application, '']) ? 0.6 : 0.2);
  }

  #force(often = 0.3): { force?: Forced } {
    if (!this.#chance.is(often)) return {};
    return { force: this.#chance.of([{}, { maxWaitS: 0 }, { maxWaitS: 10 }, { maxWaitS: 300 }]) };
  }
}

/** Whether the charm requires the endpoint. */
function isRequired([end]: Pair): boolean {
  const application = applicationOf(end).replace(/2$/, '');
  return requiring.some(([first, second]) => application === first || application === second);
}

/** Returns the endpoint under both names of its application: `monitor:feed`, `monitor2:feed`. */
function variants(end: string): string[] {
  return [end, end.replace(/(?=:|$)/, '2')];
}

function applicationOf(end: string): string {
  return end.split(':')[0] ?? end;
}

function isSame(a: Pair, b: Pair): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
