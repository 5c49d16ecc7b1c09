/** Who can be deployed only if several are deployed at once: circles, and what waits for them. */
import { componentsOf } from './components.ts';
import { keyOf, type Need } from './graph.ts';

/** What the search asks. */
export interface Waiters {
  /** Its needs that are not met yet. */
  open(name: string): Need[];
  isOpen(need: Need): boolean;
  /** It has a need that nothing can meet. */
  isHopeless(name: string): boolean;
  candidates(need: Need): Iterable<string>;
  /** Relation by relation. */
  dependents(name: string): Iterable<readonly Need[]>;
}

export interface Together {
  /** Those that need each other are one of them; each after those that it needs. */
  readonly deployable: readonly (readonly string[])[];
  /** Were looked at, and cannot be deployed. */
  readonly hopeless: readonly string[];
}

/**
 * Who of the `unsure` can be deployed together, and who else with them. Whoever can be waits, in the end, for one of the
 * unsure, and what they themselves need for it is among those that they wait for. So the search goes both ways by
 * turns, an edge each, and the way that ends first has it: it costs twice the shorter one.
 */
export function findTogether(unsure: ReadonlySet<string>, waiters: Waiters): Together {
  const waitsFor = function* (name: string): Iterable<Edge> {
    for (const need of waiters.open(name))
      for (const candidate of waiters.candidates(need)) yield { need, candidate, to: candidate };
  };
  const isWaitedForBy = function* (name: string): Iterable<Edge | undefined> {
    for (const needs of waiters.dependents(name)) {
      yield undefined;
      for (const need of needs)
        if (waiters.isOpen(need)) yield { need, candidate: name, to: need.application };
    }
  };
  const { reached, supports } = firstDone([
    reach(unsure, waitsFor, waiters),
    reach(unsure, isWaitedForBy, waiters),
  ]);
  const hopeless = dropUnsupported({ reached, supports }, waiters);
  const supported = (name: string): string[] =>
    (supports.get(name) ?? []).map(({ application }) => application).filter((one) => reached.has(one));
  return { deployable: componentsOf(reached, supported).reverse(), hopeless };
}

/** One that needs, and one that would do. */
interface Edge {
  readonly need: Need;
  readonly candidate: string;
  /** The end of it that it was found by, going to. */
  readonly to: string;
}
interface Region {
  readonly reached: Set<string>;
  /** What each would satisfy among the others. */
  readonly supports: Map<string, Need[]>;
}

function* reach(
  from: ReadonlySet<string>,
  edges: (name: string) => Iterable<Edge | undefined>,
  waiters: Waiters,
): Generator<undefined, Region> {
  const reached = new Set(from);
  const supports = new Map<string, Need[]>();
  for (const name of reached)
    for (const edge of edges(name)) {
      yield;
      if (!edge || waiters.isHopeless(edge.to)) continue;
      reached.add(edge.to);
      const needs = supports.get(edge.candidate);
      if (needs) needs.push(edge.need);
      else supports.set(edge.candidate, [edge.need]);
    }
  return { reached, supports };
}

/** Takes out whoever has a need that nobody in there satisfies, and whoever needs those. */
function dropUnsupported({ reached, supports }: Region, waiters: Waiters): string[] {
  const counts = new Map<string, number>();
  for (const need of [...supports.values()].flat())
    counts.set(keyOf(need), (counts.get(keyOf(need)) ?? 0) + 1);
  const isUnsupported = (need: Need): boolean => !counts.get(keyOf(need));
  const queue = [...reached].filter((name) => waiters.open(name).some(isUnsupported));
  const dropped: string[] = [];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (!reached.delete(name)) continue;
    dropped.push(name);
    for (const need of supports.get(name) ?? []) {
      const left = (counts.get(keyOf(need)) ?? 0) - 1;
      counts.set(keyOf(need), left);
      if (left === 0) queue.push(need.application);
    }
  }
  return dropped;
}

/** Runs them by turns; the result of the one that ends first. */
function firstDone<T>(runs: readonly Iterator<undefined, T>[]): T {
  for (;;)
    for (const run of runs) {
      const step = run.next();
      if (step.done) return step.value;
    }
}
