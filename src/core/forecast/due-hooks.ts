/** The hooks of relations that are due in a model: what a forecast that ends early has not played. */
import type { Refs } from '../impediments.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { LocalState } from '../unit/local-state.ts';

interface DueHooks {
  readonly hooks: number;
  /** Milliseconds that they take, where each machine runs one after the other. */
  readonly ms: number;
}

/** Hooks that tell a unit of another one. */
const ofEach = ['joined', 'changed'] as const;

/** Counts the hooks by which units are still to hear of others. `hookMs`: how long a hook takes. */
export function dueHooks(view: Refs, hookMs: (unit: string, hook: string) => number): DueHooks {
  const ofMachine = new Map<string, number>();
  let hooks = 0;
  for (const relation of view.list('relation')) {
    if (relation.life !== 'alive' || relation.suspended || relation.remote) continue;
    for (const endpoint of relation.endpoints) {
      // A subordinate hears of its principal only, and a principal of its own subordinate.
      if (endpoint.scope === 'container') continue;
      const remote = relation.endpoints.find((other) => other !== endpoint) ?? endpoint;
      const others = view.count('unit', 'application', remote.application) - (remote === endpoint ? 1 : 0);
      for (const unit of view.find('unit', 'application', endpoint.application)) {
        const due = Math.max(0, others - heardOf(view, unit, relation)) * ofEach.length;
        const took = sum(ofEach.map((kind) => hookMs(unit.name, `${endpoint.name}-relation-${kind}`)));
        const machine = unit.machine ?? unit.name;
        ofMachine.set(machine, (ofMachine.get(machine) ?? 0) + (due / ofEach.length) * took);
        hooks += due;
      }
    }
  }
  return { hooks, ms: [...ofMachine.values()].reduce((most, ms) => Math.max(most, ms), 0) };
}

/** Number of units that the unit has heard of in the relation. */
function heardOf(view: Refs, { name }: UnitDoc, { id }: RelationDoc): number {
  const state = view.get('unit-state', name)?.agent as Partial<LocalState> | null | undefined;
  return Object.keys(state?.relations?.[id]?.members ?? {}).length;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
