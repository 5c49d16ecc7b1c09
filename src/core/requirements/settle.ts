/**
 * Which applications are deployable: those whose every requirement is satisfied, by an alive relation with an
 * application that is deployable itself (issue 6 §3; seeds/003). Of all ways to read that the one with the most
 * deployable applications is meant, so those that require each other in a circle are deployed together. It depends on
 * the graph alone, not on the order in which it came to be.
 */
import { circlesIn } from './circles.ts';
import { RequirementGraph, type Need, type RequirementModel } from './graph.ts';
import { namedMax, type Missing } from './requirement.ts';

export interface Settled {
  /** What changed: application → what it is missing now, undefined = nothing. */
  readonly changed: ReadonlyMap<string, readonly Missing[] | undefined>;
  /** Became deployable, each after those that it requires; of a circle in any order. */
  readonly deployable: readonly string[];
  /** Of these, those that require each other. */
  readonly circles: readonly (readonly string[])[];
}

/**
 * Settles the model again after a change at the `touched` applications: they were made, their requirements changed, or
 * a relation on a required endpoint of theirs began or ended. Costs what changes and its relations, not the model.
 */
export function settle(model: RequirementModel, touched: Iterable<string>): Settled {
  const settling = new Settling(model);
  settling.lose(touched);
  settling.gain();
  return settling.result();
}

/** Whether a requirement can be satisfied: it is; by what is pending itself; by nothing. */
type State = 'met' | 'pending' | 'hopeless';

class Settling {
  readonly #graph: RequirementGraph;
  /** Whoever was looked at: what it is missing may have changed. */
  readonly #affected = new Set<string>();
  readonly #decided = new Map<string, boolean>();
  readonly #states = new Map<string, State>();
  readonly #gained: string[] = [];
  readonly #circles: string[][] = [];

  constructor(model: RequirementModel) {
    this.#graph = new RequirementGraph(model);
  }

  /** Who lost what it requires, and who required that. Nobody becomes deployable, so each support is looked for once. */
  lose(touched: Iterable<string>): void {
    const supports = new Map<string, Iterator<string>>();
    const supported = new Map<string, string>();
    const isSupported = (need: Need): boolean => {
      const key = keyOf(need);
      const rest = supports.get(key) ?? this.#graph.candidates(need)[Symbol.iterator]();
      let support = supported.get(key) ?? (rest.next().value as string | undefined);
      while (support !== undefined && !this.#isDeployable(support))
        support = rest.next().value as string | undefined;
      supports.set(key, rest);
      if (support === undefined) return false;
      supported.set(key, support);
      return true;
    };
    const queue = [...touched];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      this.#affected.add(name);
      if (!this.#isDeployable(name) || this.#graph.needs(name).every(isSupported)) continue;
      this.#decided.set(name, false);
      for (const { application } of this.#graph.dependents(name)) queue.push(application);
    }
  }

  /** Who of them can be deployed after all, and whoever requires those. */
  gain(): void {
    const queue = [...this.#affected];
    const gained = (name: string): void => {
      this.#decided.set(name, true);
      this.#gained.push(name);
      for (const need of this.#graph.dependents(name)) {
        this.#states.set(keyOf(need), 'met');
        queue.push(need.application);
      }
    };
    const unsure = new Set<string>();
    for (;;) {
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        this.#affected.add(name);
        unsure.delete(name);
        if (this.#isDeployable(name)) continue;
        const states = this.#graph.needs(name).map((need) => this.#state(need));
        if (states.every((state) => state === 'met')) gained(name);
        else if (!states.includes('hopeless')) unsure.add(name);
      }
      const together = this.#together(unsure);
      unsure.clear();
      if (together.length === 0) return;
      for (const name of together) gained(name);
    }
  }

  result(): Settled {
    const changed = new Map<string, readonly Missing[] | undefined>();
    for (const name of this.#affected) {
      const missing = this.#missing(name);
      if (!sameMissing(missing, this.#graph.application(name).missing)) changed.set(name, missing);
    }
    const deployable = this.#gained.filter((name) => this.#graph.application(name).missing !== undefined);
    return { changed, deployable, circles: this.#circles };
  }

  #isDeployable(name: string): boolean {
    return this.#decided.get(name) ?? this.#graph.application(name).missing === undefined;
  }

  /** Looked up once: who becomes deployable says so to what waits for it. */
  #state(need: Need): State {
    const key = keyOf(need);
    let state = this.#states.get(key);
    if (state) return state;
    state = 'hopeless';
    for (const candidate of this.#graph.candidates(need)) {
      state = this.#isDeployable(candidate) ? 'met' : 'pending';
      if (state === 'met') break;
    }
    this.#states.set(key, state);
    return state;
  }

  #isHopeless(name: string): boolean {
    return this.#graph.needs(name).some((need) => this.#state(need) === 'hopeless');
  }

  /**
   * Those that can be deployed if they are deployed together. Such a circle goes through one of the `unsure`, so it is
   * among those that they wait for, and among those that wait for them: the search goes both ways by turns, and the
   * way that ends first has it.
   */
  #together(unsure: ReadonlySet<string>): string[] {
    if (unsure.size === 0) return [];
    const graph = this.#graph;
    const pendingNeeds = (name: string): Need[] =>
      graph.needs(name).filter((need) => this.#state(need) === 'pending');
    const waitsFor = function* (name: string): Iterable<string> {
      for (const need of pendingNeeds(name)) yield* graph.candidates(need);
    };
    const isWaitedForBy = (name: string): Iterable<string> => this.#waiting(name);
    const region = firstDone([waitsFor, isWaitedForBy].map((next) => this.#reach(unsure, next)));

    const counts = new Map<string, number>();
    const out: string[] = [];
    const drop = (name: string): void => {
      if (region.delete(name)) out.push(name);
    };
    for (const name of region)
      for (const need of pendingNeeds(name)) {
        let count = 0;
        for (const candidate of graph.candidates(need)) if (region.has(candidate)) count++;
        counts.set(keyOf(need), count);
      }
    for (const name of [...region])
      if (pendingNeeds(name).some((need) => counts.get(keyOf(need)) === 0)) drop(name);
    for (let name = out.pop(); name !== undefined; name = out.pop())
      for (const need of graph.dependents(name)) {
        const key = keyOf(need);
        const count = counts.get(key);
        if (count === undefined) continue;
        counts.set(key, count - 1);
        if (count === 1) drop(need.application);
      }
    const needed = function* (name: string): Iterable<string> {
      for (const candidate of waitsFor(name)) if (region.has(candidate)) yield candidate;
    };
    this.#circles.push(...circlesIn(region, needed));
    return [...region];
  }

  /** Who is pending, and would be helped by it. */
  *#waiting(name: string): Iterable<string> {
    for (const need of this.#graph.dependents(name))
      if (!this.#isDeployable(need.application) && this.#state(need) === 'pending') yield need.application;
  }

  /** All that is reached, without what is hopeless: a step at a time, an edge each. */
  *#reach(
    from: ReadonlySet<string>,
    next: (name: string) => Iterable<string>,
  ): Generator<undefined, Set<string>> {
    const reached = new Set(from);
    for (const name of reached)
      for (const other of next(name)) {
        if (!reached.has(other) && !this.#isHopeless(other)) reached.add(other);
        yield;
      }
    return reached;
  }

  #missing(name: string): Missing[] | undefined {
    if (this.#isDeployable(name)) return undefined;
    return this.#graph.needs(name).flatMap((need): Missing[] => {
      const names = new Set<string>();
      for (const candidate of this.#graph.candidates(need)) {
        if (this.#isDeployable(candidate)) return [];
        names.add(candidate);
      }
      const { endpoint, interface: its } = need.requirement;
      return [{ endpoint, interface: its, applications: [...names].sort().slice(0, namedMax) }];
    });
  }
}

/** Runs them by turns; the result of the one that ends first. */
function firstDone<T>(runs: readonly Iterator<undefined, T>[]): T {
  for (;;)
    for (const run of runs) {
      const step = run.next();
      if (step.done) return step.value;
    }
}

function keyOf({ application, requirement }: Need): string {
  return `${application} ${requirement.endpoint}`;
}

function sameMissing(a: readonly Missing[] | undefined, b: readonly Missing[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
