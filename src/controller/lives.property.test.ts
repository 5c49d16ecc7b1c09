/** Random lives of a model: whatever users and agents do in whatever order, nothing refers to what is not there. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JujuError } from '../core/errors.ts';
import { seen, violations, type Seen } from '../testing/invariants.ts';
import { cleanerOf } from '../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../testing/model-fixture.ts';
import { charmTag, relationTag, unitTag } from '../wire/tags.ts';
import { addMachine } from './transactions/add-machine.ts';
import { addRelation } from './transactions/add-relation.ts';
import { addUnits } from './transactions/add-units.ts';
import { destroyApplication } from './transactions/destroy-application.ts';
import { destroyMachine } from './transactions/destroy-machine.ts';
import { destroyRelation } from './transactions/destroy-relation.ts';
import { destroyOrphan, destroyUnit } from './transactions/destroy-unit.ts';
import { enqueueTasks } from './transactions/enqueue-tasks.ts';
import { enterScope } from './transactions/enter-scope.ts';
import { claimLeadership } from './transactions/leadership.ts';
import type { ForceRequest } from './transactions/force.ts';
import { leaveScope, prepareLeaveScope } from './transactions/leave-scope.ts';
import { removeMachine, setMachineDead } from './transactions/remove-machine.ts';
import { setAnnotations } from './transactions/set-annotations.ts';
import { commitHook } from './transactions/commit-hook.ts';
import { setStatus, type Tx, type View } from './transactions/tx.ts';
import {
  destroySubordinates,
  removeRecalledUnit,
  setUnitDead,
  unitDeployed,
} from './transactions/unit-agent.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };
const charms = ['mysql', 'wordpress', 'logging'] as const;

/** `pick` chooses among what there is. */
type Step =
  | { do: 'deploy'; charm: (typeof charms)[number]; name: number; units: number }
  | { do: 'relate'; pick: number; other: number }
  | {
      do: 'remove-application' | 'remove-unit' | 'remove-machine' | 'remove-relation';
      pick: number;
      force: boolean;
    }
  | { do: 'add-unit' | 'add-machine' | 'annotate' | 'task' | 'lead' | 'agent' | 'provisioner'; pick: number }
  | { do: 'cleaner' }
  | { do: 'agents' };

const pick = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('deploy' as const),
      charm: fc.constantFrom(...charms),
      name: fc.nat(1),
      units: fc.nat(3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('relate' as const), pick, other: pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('remove-application' as const, 'remove-unit', 'remove-machine', 'remove-relation'),
      pick,
      force: fc.boolean(),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'agent' as const,
        'agent',
        'agent',
        'agent',
        'add-unit',
        'add-machine',
        'annotate',
        'task',
        'lead',
        'provisioner',
      ),
      pick,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step>({ do: 'cleaner' }, { do: 'agents' }, { do: 'agents' }, { do: 'agents' }),
  },
);

test('nothing refers to what is not there, no life goes back, and all of it can be removed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      await using model = await modelFixture();
      const world = new World(model);
      await world.begin();
      for (const one of steps) {
        model.advance(1000);
        await world.run(one);
        world.check();
      }
      await world.removeAll();
      world.check();
      expect(leftOvers(model.view())).toEqual([]);
    }),
    { numRuns: 40 },
  );
}, 120_000);

/** The model with its users, agents and workers. */
class World {
  readonly #model: ModelFixture;
  #seen: Seen | undefined;
  readonly #cleaner: (signal: AbortSignal) => Promise<unknown>;

  constructor(model: ModelFixture) {
    this.#model = model;
    this.#cleaner = cleanerOf(model);
  }

  async run(one: Step): Promise<void> {
    if (one.do === 'agents') return this.#agents();
    if (one.do === 'cleaner') return void (await this.#cleaner(new AbortController().signal));
    const model = this.#model;
    try {
      if (one.do === 'deploy') {
        const numUnits = one.charm === 'logging' ? 0 : one.units;
        await model.deploy(one.charm, { name: `${one.charm}${'x'.repeat(one.name)}`, numUnits });
      } else await model.change((tx) => act(tx, one));
    } catch (error) {
      // Refused, for a reason.
      if (!(error instanceof JujuError)) throw error;
    }
  }

  /** Users remove everything; agents and workers do their part until nothing moves. */
  async removeAll(): Promise<void> {
    const model = this.#model;
    for (const { name } of model.view().list('application'))
      await model.change(
        (tx) => tx.get('application', name) && destroyApplication(tx, { application: name }),
      );
    for (const { id } of model.view().list('machine'))
      await this.#tolerant((tx) => destroyMachine(tx, { machine: id, keepInstance: false }));
    for (let before = -1; before !== model.store.read().revision;) {
      before = model.store.read().revision;
      await this.#cleaner(new AbortController().signal);
      await this.#agents();
      for (const { id } of model.view().list('machine')) await this.#tolerant((tx) => provision(tx, id));
      this.check();
    }
  }

  /** Three applications that are related, each unit in its relations. */
  async begin(): Promise<void> {
    const model = this.#model;
    await model.deploy('mysql', { numUnits: 2 });
    await model.deploy('wordpress', { numUnits: 2 });
    await model.deploy('logging');
    await model.change((tx) => {
      addRelation(tx, { endpoints: ['wordpress', 'mysql'] });
      addRelation(tx, { endpoints: ['logging', 'mysql'] });
      addRelation(tx, { endpoints: ['logging', 'wordpress'] });
    });
    for (let round = 0; round < 5; round++) await this.#agents();
    expect(model.view().count('unit', 'application', 'logging')).toBe(4);
  }

  async #agents(): Promise<void> {
    for (const { name } of this.#model.view().list('unit')) await this.#tolerant((tx) => agentStep(tx, name));
  }

  async #tolerant(fn: (tx: Tx) => unknown): Promise<void> {
    try {
      await this.#model.change(fn);
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
    }
  }

  check(): void {
    const view = this.#model.view();
    expect(violations(view, this.#seen)).toEqual([]);
    this.#seen = seen(view);
  }
}

function now(force: boolean): { force?: ForceRequest } {
  return force ? { force: { maxWaitMs: 0, by: 'test' } } : {};
}

function act(tx: Tx, one: Exclude<Step, { do: 'deploy' | 'cleaner' | 'agents' }>): void {
  const choose = <T>(list: Iterable<T>, n = one.pick): T | undefined => {
    const all = [...list];
    return all[n % all.length];
  };
  switch (one.do) {
    case 'relate': {
      const a = choose(tx.list('application'));
      const b = choose(tx.list('application'), one.other);
      if (a && b) addRelation(tx, { endpoints: [a.name, b.name] });
      return;
    }
    case 'remove-application': {
      const application = choose(tx.list('application'));
      if (application) destroyApplication(tx, { application: application.name, ...now(one.force) });
      return;
    }
    case 'remove-unit': {
      const unit = choose(tx.list('unit'));
      if (unit) destroyUnit(tx, { unit: unit.name, ...now(one.force) });
      return;
    }
    case 'remove-machine': {
      const machine = choose(tx.list('machine'));
      if (machine) destroyMachine(tx, { machine: machine.id, ...now(one.force), keepInstance: false });
      return;
    }
    case 'remove-relation': {
      const relation = choose(tx.list('relation'));
      if (relation) destroyRelation(tx, { id: relation.id, ...now(one.force) });
      return;
    }
    case 'add-unit': {
      const application = choose(tx.list('application'));
      if (!application) return;
      const machine = choose(tx.list('machine'));
      const placement = machine && one.pick % 3 === 0 ? [{ scope: '#', directive: machine.id }] : [];
      addUnits(tx, { application: application.name, count: 1, placement });
      return;
    }
    case 'add-machine':
      addMachine(tx, { base, constraints: {}, removeWhenEmpty: false });
      return;
    case 'annotate': {
      const relation = choose(tx.list('relation'));
      const unit = choose(tx.list('unit'));
      const charm = choose(tx.list('charm'));
      const values = { by: 'me' };
      if (relation && one.pick % 3 === 0) setAnnotations(tx, { tag: relationTag(relation.key), values });
      else if (unit && one.pick % 3 === 1) setAnnotations(tx, { tag: unitTag(unit.name), values });
      else if (charm) setAnnotations(tx, { tag: charmTag(charm.url), values });
      return;
    }
    case 'task': {
      const unit = choose(tx.list('unit'));
      if (unit)
        enqueueTasks(tx, {
          summary: '',
          receivers: [{ kind: 'unit', name: unit.name }],
          name: 'juju-exec',
          parameters: {},
        });
      return;
    }
    case 'lead': {
      const unit = choose(tx.list('unit'));
      if (unit) claimLeadership(tx, { unit: unit.name, durationMs: 60_000 });
      return;
    }
    case 'agent': {
      const unit = choose(tx.list('unit'));
      if (unit) agentStep(tx, unit.name);
      return;
    }
    case 'provisioner': {
      const machine = choose(tx.list('machine'));
      if (machine) provision(tx, machine.id);
      return;
    }
  }
}

/** The next thing that a unit's agent would do. */
function agentStep(tx: Tx, name: string): void {
  const unit = tx.get('unit', name);
  if (!unit) return;
  if (unit.life === 'dead' || (unit.life === 'dying' && !unit.deployed)) return removeRecalledUnit(tx, name);
  if (!unit.deployed) {
    unitDeployed(tx, name);
    setStatus(tx, 'workload', name, 'waiting');
    return;
  }
  const scopes = [...tx.find('scope', 'unit', name)];
  if (unit.life === 'alive') {
    // Asked for by agents at any time, right or wrong.
    if (tx.revision % 5 === 0) destroyOrphan(tx, name);
    if (tx.get('unit', name)?.life !== 'alive') return;
    for (const relation of tx.find('relation', 'application', unit.application)) {
      const id = String(relation.id);
      const scope = tx.get('scope', `${id}#${name}`);
      if (scope && relation.life !== 'alive') {
        if (!scope.departing) return prepareLeaveScope(tx, { unit: name, relation: id });
        return leaveScope(tx, { unit: name, relation: id });
      }
      if (scope || relation.life !== 'alive') continue;
      try {
        return enterScope(tx, { unit: name, relation: id });
      } catch (error) {
        // Not one of this unit's, or not yet.
        if (!(error instanceof JujuError)) throw error;
      }
    }
    const [first] = scopes;
    commitHook(tx, {
      unit: name,
      hookId: tx.newUuid(),
      relationSettings: first
        ? [{ relation: Number(first.relation), app: false, set: { a: tx.newUuid() } }]
        : [],
      openPorts: [],
      closePorts: [],
      agentState: {},
    });
    return;
  }
  destroySubordinates(tx, name);
  const [scope] = scopes;
  if (scope) return leaveScope(tx, { unit: name, relation: scope.relation });
  setUnitDead(tx, name);
}

/** The machine's agent and the provisioner. */
function provision(tx: Tx, id: string): void {
  const machine = tx.get('machine', id);
  if (!machine) return;
  if (machine.life === 'dying') setMachineDead(tx, id);
  else if (machine.life === 'dead') removeMachine(tx, id);
  else setStatus(tx, 'instance', id, 'running');
}

/** What a model that was emptied still has, besides its history: numbers, finished tasks, charms nobody deployed. */
function leftOvers(view: View): string[] {
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
  return kinds.filter((kind) => view.count(kind) > 0);
}
