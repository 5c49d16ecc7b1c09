/**
 * Finds applications that can be deployed only several at once: circles, and the applications that wait for circles.
 */
import { componentsOf } from '../components.ts';
import { keyOf, type Need } from './graph.ts';

/** The queries that the search makes. */
interface Waiters {
  /** Needs of the application that are not met yet. */
  open(name: string): Need[];
  isOpen(need: Need): boolean;
  /** Whether the application has a need that nothing can meet. */
  isHopeless(name: string): boolean;
  candidates(need: Need): Iterable<string>;
  /** The needs that the application would satisfy, relation by relation. */
  dependents(name: string): Iterable<readonly Need[]>;
}

interface Together {
  /** Groups of applications that need each other; each group comes after those that it needs. */
  readonly deployable: readonly (readonly string[])[];
  /** Applications that were examined and cannot be deployed. */
  readonly hopeless: readonly string[];
}

/**
 * Finds which of the `unsure` can be deployed together, and what else with them. An application that can be deployed
 * waits, directly or not, for one of the unsure, whose own needs are among those that it waits for. The search
 * therefore alternates between both directions, one edge each, and the direction that ends first has the answer: the
 * cost is twice that of the shorter one.
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
    (supports.get(name) ?? [])
      .map(({ application }) => application)
      .filter((application) => reached.has(application));
  return { deployable: componentsOf(reached, supported).reverse(), hopeless };
}

/** An application with a need, and one that would satisfy it. */
interface Edge {
  readonly need: Need;
  readonly candidate: string;
  /** The end of the edge that the search moves to. */
  readonly to: string;
}
interface Region {
  readonly reached: Set<string>;
  /** The needs of others in the region that each application would satisfy. */
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

/** Removes applications with a need that nothing in the region satisfies, and the applications that need those. */
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

/** Advances the iterators in turn and returns the result of the first that ends. */
function firstDone<T>(runs: readonly Iterator<undefined, T>[]): T {
  for (;;)
    for (const run of runs) {
      const step = run.next();
      if (step.done) return step.value;
    }
}
