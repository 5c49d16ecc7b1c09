/**
 * Random lives of a model: for any order of steps by operators, agents and workers, the transactions do what the
 * reference model says, no reference dangles, no life goes back, and everything can be removed.
 */
import fc, { runs } from '../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { placeOf, takeStep, type Place } from '../testing/lives/compare.ts';
import { moves } from '../testing/lives/duties.ts';
import type { Facts } from '../testing/lives/facts.ts';
import { sayStep, type CharmName, type Command, type Ends, type Step } from '../testing/lives/step.ts';
import { unfinished } from '../testing/lives/walk.ts';
import { orphans, World } from '../testing/lives/world.ts';
import { seen, violations } from '../testing/invariants.ts';
import { charmTag, relationTag, unitTag } from '../wire/tags.ts';
import { commitHook } from './transactions/agent/commit-hook.ts';
import { enqueueTasks } from './transactions/begin/enqueue-tasks.ts';
import { claimLeadership } from './transactions/agent/leadership.ts';
import { setAnnotations } from './transactions/set/set-annotations.ts';
import type { Tx } from './transactions/tx.ts';
import { defined } from '../core/defined.ts';

const charmNames = ['db', 'log', 'ring', 'ship', 'shop', 'web'] as const satisfies CharmName[];

/** Random step; the numbers choose among what exists at that time. */
interface RandomStep {
  readonly do: keyof typeof resolvers;
  readonly pick: number;
  readonly second: number;
  readonly force: number | undefined;
}

/** Translation of a random step into a step of the model; undefined when there is nothing to apply it to. */
const resolvers = {
  deploy: (_, { pick, second }) => {
    const charm = charmNames[pick % charmNames.length]!;
    // Each charm's application has one of two names, and more often than not units.
    const application = second % 2 === 0 ? charm : `${charm}x`;
    const units = charm === 'log' || charm === 'ship' ? 0 : second % 4;
    const require = charm === 'web' && pick % 4 === 0 ? { require: ['db'] } : {};
    return { do: 'deploy', application, charm, units, ...require };
  },
  'add-unit': ({ applications, machines }, { pick, second }) => {
    const application = choose(applications.keys(), pick);
    const to = second % 3 === 0 ? choose(machines.keys(), second) : undefined;
    if (application === undefined) return undefined;
    return { do: 'add-unit', application, ...defined({ to }), ...inContainer(pick) };
  },
  'add-machine': ({ machines }, { pick, second }) => {
    const to = choose(machines.keys(), second);
    if (pick % 2 === 0) return { do: 'add-machine' };
    return {
      do: 'add-machine',
      container: true,
      ...defined({ to: to === undefined || second % 3 === 0 ? undefined : to }),
    };
  },
  integrate: ({ applications }, { pick, second }) => {
    const left = choose(applications, pick);
    const right = choose(applications, second);
    if (!left || !right) return undefined;
    const isLog = left[1].subordinate;
    const ends: Record<string, readonly [string, string]> = {
      'web db': ['db', 'server'],
      'shop db': ['db', 'server'],
      'ring ring': ['next', 'prev'],
      'log db': second % 2 === 0 ? ['info', 'juju-info'] : ['sink', 'sink'],
      'ship db': second % 2 === 0 ? ['info', 'juju-info'] : ['sink', 'sink'],
    };
    // Relations between endpoints that do not fit are refused.
    const [a, b] = ends[`${left[1].charm} ${right[1].charm}`] ?? ['info', 'juju-info'];
    if (a === 'info' && !isLog) return undefined;
    return { do: 'integrate', ends: [`${left[0]}:${a}`, `${right[0]}:${b}`] };
  },
  'remove-unit': ({ units }, { pick, force }) => {
    const unit = choose(units.keys(), pick);
    return unit === undefined ? undefined : { do: 'remove-unit', unit, ...forced(force) };
  },
  'remove-application': ({ applications }, { pick, force }) => {
    const application = choose(applications.keys(), pick);
    return application === undefined
      ? undefined
      : { do: 'remove-application', application, ...forced(force) };
  },
  'remove-relation': ({ relations }, { pick, force }) => {
    const key = choose(relations.values(), pick)?.key;
    if (key === undefined || !key.includes(' ')) return undefined;
    return { do: 'remove-relation', ends: key.split(' ') as unknown as Ends, ...forced(force) };
  },
  'remove-machine': ({ machines }, { pick, second, force }) => {
    const machine = choose(machines.keys(), pick);
    if (machine === undefined) return undefined;
    return { do: 'remove-machine', machine, keep: second % 4 === 0, ...forced(force) };
  },
  'require-endpoints': (_, { pick }) => ({
    do: 'require-endpoints',
    mode: choose(['declared', 'all', 'none'] as const, pick)!,
  }),
  'destroy-model': (_, { force }) => ({ do: 'destroy-model', ...forced(force) }),
  wait: (_, { pick }) => ({ do: 'wait', ms: (pick % 3) * 10_000 }),
  'lose-agent': ({ machines }, { pick }) => {
    const machine = choose(machines.keys(), pick);
    return machine === undefined ? undefined : { do: 'lose-agent', machine };
  },
  move: (facts, { pick }) => choose(moves(facts), pick),
  /** Makes each agent and worker move once, or as often as there are moves. */
  round: () => undefined,
  settle: () => undefined,
  /** Writes data that has no influence on lives and must not outlive them. */
  talk: () => undefined,
} satisfies Record<string, (facts: Facts, randomStep: RandomStep) => Step | undefined>;

const weights: Readonly<Record<RandomStep['do'], number>> = {
  deploy: 4,
  'add-unit': 2,
  'add-machine': 1,
  integrate: 5,
  'remove-unit': 3,
  'remove-application': 2,
  'remove-relation': 2,
  'remove-machine': 2,
  'require-endpoints': 0.5,
  'destroy-model': 0.1,
  wait: 2,
  'lose-agent': 0.5,
  move: 12,
  round: 4,
  settle: 2,
  talk: 5,
};

const randomStep: fc.Arbitrary<RandomStep> = fc.record({
  do: fc.oneof(
    ...Object.entries(weights).map(([name, weight]) => ({
      weight: weight * 10,
      arbitrary: fc.constant(name as RandomStep['do']),
    })),
  ),
  pick: fc.nat(500),
  second: fc.nat(50),
  force: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(0, 10_000, 30_000) },
  ),
});

test.each([
  { workers: 'that crash after each change', lasting: false },
  { workers: 'that go on', lasting: true },
])(
  'the lives of entities follow the rules, whatever happens, with workers $workers',
  async ({ lasting }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomStep, { maxLength: 60 }), async (list) => {
        const lives = new Lives(lasting);
        await lives.begin();
        for (const one of list) await lives.perform(one);
        await lives.removeAll();
        expect(leftOvers(lives.world)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  },
  120_000,
);

/** A world that is checked after each step. */
class Lives {
  readonly world: World;
  readonly #steps: string[] = [];
  #place: Place;

  constructor(lasting: boolean) {
    this.world = new World({ lasting });
    this.#place = placeOf(this.world);
  }

  /** Deploys three related applications, with each unit in its relations. */
  async begin(): Promise<void> {
    const commands: Command[] = [
      { do: 'deploy', application: 'db', charm: 'db', units: 2 },
      { do: 'deploy', application: 'web', charm: 'web', units: 2 },
      { do: 'deploy', application: 'log', charm: 'log', units: 0 },
      { do: 'integrate', ends: ['web:db', 'db:server'] },
      { do: 'integrate', ends: ['log:info', 'db:juju-info'] },
      { do: 'integrate', ends: ['log:info', 'web:juju-info'] },
      { do: 'integrate', ends: ['log:sink', 'db:sink'] },
    ];
    for (const command of commands) await this.#take(command);
    await this.#settle();
    expect(this.world.view.count('unit', 'application', 'log')).toBe(4);
    // Scopes: two in the relation of web and db and one among the peers for each db, and those of log.
    expect(this.world.view.count('scope')).toBe(4 + 2 + 4 + 4 + 6);
  }

  async perform(randomStep: RandomStep): Promise<void> {
    if (randomStep.do === 'round') for (const move of moves(this.#place.facts)) await this.#take(move);
    else if (randomStep.do === 'settle') await this.#settle();
    else if (randomStep.do === 'talk') this.#writeData(randomStep);
    else {
      const step = resolvers[randomStep.do](this.#place.facts, randomStep);
      if (step) await this.#take(step);
    }
  }

  /** Removes everything as the operator, by force where an agent is lost; agents and workers do their part. */
  async removeAll(): Promise<void> {
    for (const machine of this.#place.facts.lost)
      await this.#take({ do: 'remove-machine', machine, force: 0 });
    for (const application of this.#place.facts.applications.keys())
      await this.#take({ do: 'remove-application', application });
    await this.#settle();
    for (const isHost of [false, true]) {
      for (const [machine, { parent }] of this.#place.facts.machines)
        if (isHost === (parent === undefined)) await this.#take({ do: 'remove-machine', machine });
      await this.#settle();
    }
    expect(unfinished(this.#place.facts, true), this.#steps.join('\n')).toEqual([]);
  }

  async #settle(): Promise<void> {
    for (let before = ''; before !== this.#place.text;) {
      before = this.#place.text;
      for (const move of moves(this.#place.facts)) await this.#take(move);
    }
  }

  async #take(step: Step): Promise<void> {
    this.#steps.push(sayStep(step));
    const before = seen(this.world.view);
    const { wrong, facts, text } = await takeStep(this.world, this.#place, step);
    this.#place = { facts, text };
    expect([...wrong, ...violations(this.world.view, before), ...orphans(this.world)], sayStep(step)).toEqual(
      [],
    );
  }

  #writeData({ pick, second }: RandomStep): void {
    try {
      this.world.change((tx) => writeData(tx, pick, second));
    } catch (error) {
      // A step may be refused for a reason.
      expect(error).toHaveProperty('code');
    }
    expect(placeOf(this.world).text).toBe(this.#place.text);
    expect(violations(this.world.view)).toEqual([]);
  }
}

function writeData(tx: Tx, pick: number, second: number): void {
  const unit = choose(tx.list('unit'), pick)?.name;
  const relation = choose(tx.list('relation'), pick);
  const charm = choose(tx.list('charm'), pick);
  const values = { by: 'me' };
  switch (second % 6) {
    case 0:
      if (relation) setAnnotations(tx, { tag: relationTag(relation.key), values });
      return;
    case 1:
      if (unit !== undefined) setAnnotations(tx, { tag: unitTag(unit), values });
      return;
    case 2:
      if (charm) setAnnotations(tx, { tag: charmTag(charm.url), values });
      return;
    case 3: {
      if (unit === undefined) return;
      const action = { name: 'juju-exec', parameters: {} };
      enqueueTasks(tx, { summary: '', receivers: [{ kind: 'unit', name: unit, action }] });
      return;
    }
    case 4:
      if (unit !== undefined) claimLeadership(tx, { unit, durationMs: 60_000 });
      return;
    default:
      if (unit !== undefined) hook(tx, unit);
  }
}

/** A hook that has changed the unit's databag. */
function hook(tx: Tx, unit: string): void {
  const [scope] = tx.find('scope', 'unit', unit);
  commitHook(tx, {
    unit,
    hookId: tx.newUuid(),
    relationSettings: scope
      ? [{ relation: Number(scope.relation), app: false, set: { a: tx.newUuid() } }]
      : [],
    openPorts: [],
    closePorts: [],
    agentState: {},
  });
}

/**
 * Content that an emptied model may still have, besides its history: numbers, finished tasks, charms nobody deployed.
 */
function leftOvers(world: World): string[] {
  const kinds = [
    'application',
    'unit',
    'machine',
    'relation',
    'scope',
    'settings',
    'status',
    'unit-state',
    'lease',
    'leader-settings',
  ] as const;
  return kinds.filter((kind) => world.view.count(kind) > 0);
}

function choose<T>(list: Iterable<T>, n: number): T | undefined {
  const all = [...list];
  return all[n % all.length];
}

function inContainer(pick: number): { container?: true } {
  return pick % 3 === 0 ? { container: true } : {};
}

function forced(force: number | undefined): { force?: number } {
  return force === undefined ? {} : { force };
}
