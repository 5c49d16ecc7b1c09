/**
 * Property: for any order of deploy, integrate and remove, the units that wait after each change are those that a naive
 * evaluation of the model says; no unit is placed before its application's requirements are met, and in the end all are
 * placed that can be.
 */
import { expect, test } from 'vitest';
import { JujuError } from '../core/errors.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import { requireModes } from '../core/requirements/requirement.ts';
import { activeOf, gateCircles } from '../testing/gate-rules.ts';
import { isOrphan } from '../core/unit/orphan.ts';
import fc, { runs } from '../testing/fast-check.ts';
import { orphans, World } from '../testing/lives/world.ts';
import {
  added,
  charm,
  type Charm,
  charms,
  type Command,
  deployed,
  inOrder,
  integrated,
  metaOf,
  names,
  order,
  step,
  type Step,
} from '../testing/requirement-steps.ts';
import { missingIn, withoutWords } from '../testing/requirements.ts';
import { violations } from '../testing/invariants.ts';
import { upload } from '../testing/upload.ts';
import { deploy } from '../testing/waiting.ts';
import { addMachine } from './transactions/begin/add-machine.ts';
import { addRelation } from './transactions/begin/add-relation.ts';
import { addUnits } from './transactions/begin/add-units.ts';
import { destroyApplication } from './transactions/end/destroy-application.ts';
import { destroyRelation } from './transactions/end/destroy-relation.ts';
import { destroyOrphan, destroyUnit } from './transactions/end/destroy-unit.ts';
import { enterScope, takesPartIn } from './transactions/agent/enter-scope.ts';
import { leaveScope } from './transactions/end/leave-scope.ts';
import { openGate } from './transactions/change/open-gate.ts';
import { setAfter } from './transactions/set/set-after.ts';
import { setConfig } from '../testing/set-config.ts';
import type { Tx } from './transactions/tx.ts';
import { removeRecalledUnit, setUnitDead, unitDeployed } from './transactions/agent/unit-agent.ts';
import { defined } from '../core/defined.ts';

test('the waiting units are those of a naive evaluation after each change, and in the end all units are placed that can be', async () => {
  await fc.assert(
    fc.asyncProperty(
      charms,
      fc.array(deployed, { maxLength: 10 }),
      fc.array(integrated, { maxLength: 20 }),
      fc.array(step, { minLength: 20, maxLength: 60 }),
      async (meta, deploys, relations, steps) => {
        const model = new Model(meta);
        const workers = ['place', 'agents', 'place'] as const;
        for (const one of [...deploys, ...relations, ...workers.map((its) => ({ do: its })), ...steps])
          await model.take(one);
        await model.rest();
        expect(model.unplaceable()).toEqual([]);
      },
    ),
    { numRuns: runs(300) },
  );
}, 120_000);

test('the same commands in any order end in the same state', async () => {
  const commands = fc.record({
    deploys: fc
      .shuffledSubarray([...names], { minLength: 2 })
      .chain((some) =>
        fc.tuple(...some.map((application) => deployed.map((one) => ({ ...one, application })))),
      ),
    others: fc.array(fc.oneof({ weight: 4, arbitrary: integrated }, { weight: 1, arbitrary: added }), {
      maxLength: 20,
    }),
    mode: fc.constantFrom(...requireModes),
  });
  await fc.assert(
    fc.asyncProperty(
      charms,
      commands,
      order,
      order,
      async (meta, { deploys, others, mode }, first, second) => {
        const all: Command[] = [...deploys, ...others];
        const ends = [];
        for (const choice of [first, second]) {
          const model = new Model(meta);
          await model.take({ do: 'mode', mode });
          for (const one of inOrder(all, choice)) await model.take(one);
          await model.rest();
          ends.push(model.state());
        }
        expect(ends[1]).toEqual(ends[0]);
      },
    ),
    { numRuns: runs(300) },
  );
}, 120_000);

test('the final state with all requirements met is that of the same commands without required endpoints', async () => {
  const principal = charm.map((one) => ({ ...one, subordinate: false }));
  /** Models in which each requires endpoint has a provider: these suffice whatever the charms state. */
  const complete = fc.tuple(...names.map(() => fc.tuple(fc.nat(4), fc.nat(4)))).map((providers) =>
    names.flatMap((requirer, n): Command[] => {
      const others = names.filter((one) => one !== requirer);
      const [one, two] = (providers[n] ?? []).map((pick) => others[pick] ?? '');
      return [
        { do: 'integrate', requirer, endpoint: 'one', provider: one ?? '' },
        { do: 'integrate', requirer, endpoint: 'two', provider: two ?? '' },
        { do: 'integrate', requirer, endpoint: 'near', provider: names[0] },
      ];
    }),
  );
  const deploys = names.map((application, n): Command => ({
    do: 'deploy',
    application,
    units: n % 3,
    require: [],
  }));
  const steps = fc.array(fc.oneof(integrated, added), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(principal, ...names.slice(1).map(() => charm)),
      complete,
      steps,
      order,
      async (meta, relations, furtherSteps, choice) => {
        const ends = [];
        for (const mode of ['all', 'declared', 'none'] as const) {
          const model = new Model(meta);
          await model.take({ do: 'mode', mode });
          for (const one of inOrder([...deploys, ...relations, ...furtherSteps], choice))
            await model.take(one);
          await model.rest();
          ends.push(model.state());
        }
        expect(ends[0]?.filter(({ waits }) => waits)).toEqual([]);
        expect(ends[0]).toEqual(ends[2]);
        expect(ends[1]).toEqual(ends[2]);
      },
    ),
    { numRuns: runs(100) },
  );
}, 120_000);

/** A model that is checked after each change. */
class Model {
  readonly #world = new World({ lasting: true });
  readonly #steps: string[] = [];

  constructor(metas: readonly Charm[]) {
    this.#world.change((tx) => {
      for (const [n, meta] of metas.entries()) upload(tx, names[n] ?? '', metaOf(meta));
      // Machines that units can be placed on.
      for (let n = 0; n < 2; n++)
        addMachine(tx, {
          base: { name: 'ubuntu', channel: '24.04/stable' },
          constraints: {},
          removeWhenEmpty: false,
        });
    });
    this.#metas = metas;
    this.#world.store.watch(({ changes }) => {
      this.#check();
      for (const { kind, before, after } of changes)
        if (kind === 'unit') this.#checkPlaced(before as UnitDoc | undefined, after as UnitDoc | undefined);
    });
  }
  readonly #metas: readonly Charm[];

  async take(step: Step): Promise<void> {
    this.#steps.push(JSON.stringify(step));
    try {
      if (step.do === 'place' || step.do === 'clean') await this.#world.take({ do: step.do });
      else this.#world.change((tx) => this.#carryOut(tx, step));
    } catch (error) {
      // A command may be refused for a reason.
      if (!(error instanceof JujuError)) throw error;
    }
  }

  /** Lets agents and workers do their part until nothing moves. */
  async rest(): Promise<void> {
    for (let before: unknown; before !== this.#world.state.store;) {
      before = this.#world.state.store;
      for (const its of ['agents', 'place', 'clean'] as const) await this.take({ do: its });
    }
    expect([...violations(this.#world.view), ...orphans(this.#world)], this.#said).toEqual([]);
  }

  /**
   * Units without a machine that may lack one: those of applications with open requirements, and those of dying ones.
   */
  unplaceable(): string[] {
    const { view } = this.#world;
    return [...view.list('unit')].flatMap(({ name: unit, application, machine, unplaced }) => {
      const its = view.get('application', application);
      const waits = its?.life === 'alive' && (its.pending ?? unplaced?.problem) !== undefined;
      return machine === undefined && !waits ? [unit] : [];
    });
  }

  /** State of the model without traces of the order in which it was reached. */
  state(): { application: string; waits?: unknown; units: string[]; relations: string[] }[] {
    const { view } = this.#world;
    const machineOf = (unit: UnitDoc | undefined): string => {
      if (!unit) return 'none';
      if (unit.principal !== undefined) {
        const principal = view.get('unit', unit.principal);
        const beside = principal?.machine === unit.machine ? 'beside' : 'away from';
        return unit.unplaced ? 'waits' : `${beside} one of ${principal?.application}`;
      }
      if (unit.machine === undefined) return `waits for ${unit.unplaced?.placement?.directive ?? 'any'}`;
      if (unit.machine === '0' || unit.machine === '1') return `on ${unit.machine}`;
      const others = [...view.find('unit', 'machine', unit.machine)].filter(
        ({ principal }) => principal === undefined,
      );
      return others.length === 1 ? 'on its own' : 'together';
    };
    return names.flatMap((application) => {
      const applicationDoc = view.get('application', application);
      if (!applicationDoc) return [];
      const units = [...view.find('unit', 'application', application)].map(machineOf).sort();
      const relations = [...view.find('relation', 'application', application)].map(({ key }) => key).sort();
      return [{ application, units, relations, ...defined({ waits: applicationDoc.pending?.missing }) }];
    });
  }

  #carryOut(tx: Tx, step: Step): void {
    switch (step.do) {
      case 'deploy': {
        const url = `local:${step.application}-0`;
        const meta = this.#metas[names.indexOf(step.application as 'a')];
        if (!meta) return;
        if (!tx.get('charm', url)) upload(tx, step.application, metaOf(meta));
        deploy(tx, step.application, {
          numUnits: meta.subordinate ? 0 : step.units,
          require: step.require,
          ...defined({ after: step.after && activeOf(step.after) }),
        });
        return;
      }
      case 'set-after':
        setAfter(tx, { application: step.application, after: activeOf(step.after) });
        return;
      case 'healthy': {
        const gate = { application: step.application, health: 'active' };
        const waiting = [...tx.find('application', 'after', step.application)];
        for (const { name: application } of waiting) openGate(tx, { application, gate });
        return;
      }
      case 'add-unit': {
        const placement = step.to === undefined ? [] : [{ scope: '#', directive: step.to }];
        addUnits(tx, { application: step.application, count: 1, placement });
        return;
      }
      case 'integrate':
        addRelation(tx, { endpoints: [`${step.requirer}:${step.endpoint}`, `${step.provider}:gives`] });
        return;
      case 'mode':
        setConfig(tx, { 'require-endpoints': step.mode });
        return;
      case 'remove-application':
        destroyApplication(tx, { application: step.application, ...forced(step.force) });
        return;
      case 'remove-relation': {
        const all = [...tx.list('relation')];
        const relation = all[step.pick % all.length];
        if (relation) destroyRelation(tx, { id: relation.id, ...forced(step.force) });
        return;
      }
      case 'remove-unit': {
        const all = [...tx.list('unit')];
        const unit = all[step.pick % all.length];
        if (unit) destroyUnit(tx, { unit: unit.name, ...forced(step.force) });
        return;
      }
      case 'place':
      case 'clean':
        return;
      case 'agents':
        for (const { name: unit } of tx.list('unit')) runAgent(tx, unit);
    }
  }

  #check(): void {
    const { view } = this.#world;
    const stored = new Map(
      [...view.list('application')].flatMap(({ name: one, pending }) =>
        pending ? [[one, withoutWords(pending.missing)] as const] : [],
      ),
    );
    expect(byName(stored), this.#said).toEqual(byName(missingIn(view)));
    expect([...gateCircles(view)], this.#said).toEqual([]);
  }

  #checkPlaced(before: UnitDoc | undefined, after: UnitDoc | undefined): void {
    if (after?.machine === undefined || before?.machine !== undefined) return;
    const application = this.#world.view.get('application', after.application);
    expect(application, `${after.name} is placed by ${this.#said}`).toMatchObject({ life: 'alive' });
    expect(application?.pending, `${after.name} is placed by ${this.#said}`).toBeUndefined();
  }

  get #said(): string {
    return this.#steps.join('\n');
  }
}

/** Steps of an agent on a machine for its unit, alive or dying. */
function runAgent(tx: Tx, name: string): void {
  const unit = tx.get('unit', name);
  if (unit?.machine === undefined) return;
  if (unit.life === 'alive') {
    unitDeployed(tx, name);
    for (const relation of tx.find('relation', 'application', unit.application)) {
      const id = String(relation.id);
      if (relation.life !== 'alive') leaveScope(tx, { unit: name, relation: id });
      else if (takesPartIn(tx, unit, relation)) enter(tx, name, id);
    }
    const now = tx.get('unit', name);
    if (now && isOrphan(tx, now)) destroyOrphan(tx, name);
    return;
  }
  for (const scope of tx.find('scope', 'unit', name))
    leaveScope(tx, { unit: name, relation: scope.relation });
  if (!tx.get('unit', name) || tx.count('unit', 'principal', name) > 0) return;
  setUnitDead(tx, name);
  removeRecalledUnit(tx, name);
}

function enter(tx: Tx, unit: string, relation: string): void {
  try {
    enterScope(tx, { unit, relation });
  } catch (error) {
    // The last subordinate is still being removed.
    if (!(error instanceof JujuError) || error.code !== 'cannot enter scope yet') throw error;
  }
}

function forced(isForced: boolean): { force?: { maxWaitMs: number; by: string } } {
  return isForced ? { force: { maxWaitMs: 0, by: 'test' } } : {};
}

function byName<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
