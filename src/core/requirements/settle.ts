/**
 * Decides which applications are deployable: those without a closed gate whose every requirement is satisfied by an
 * alive relation with an application that is deployable itself (required-endpoints.md#settling). Of all consistent
 * answers the one with the most deployable applications is taken, so applications that require each other in a circle
 * are deployed together. The answer depends on the graph alone, not on the order in which it was built.
 */
import { RequirementGraph, keyOf, type Need, type RequirementModel } from './graph.ts';
import { defined } from '../defined.ts';
import { namedMax, withoutImplied, type Missing } from './requirement.ts';
import { findTogether } from './together.ts';

export interface Settled {
  /** Changed applications, with the requirements that they are missing now; undefined = none. */
  readonly changed: ReadonlyMap<string, readonly Missing[] | undefined>;
  /** Applications that became deployable, each after those that it requires; members of a circle by name. */
  readonly deployable: readonly string[];
  /** Groups among `deployable` whose members require each other. */
  readonly circles: readonly (readonly string[])[];
}

/**
 * Settles the model after a change at the `touched` applications: they were made, their requirements changed, or a
 * relation on a required endpoint of theirs began or ended. The cost is proportional to what changes and its relations,
 * not to the model.
 */
export function settle(model: RequirementModel, touched: Iterable<string>): Settled {
  const settling = new Settling(model);
  settling.lose(touched);
  settling.gain();
  return settling.result();
}

/** Whether a requirement is met, can be met by a pending application, or cannot be met. */
type State = 'met' | 'pending' | 'hopeless';

class Settling {
  readonly #graph: RequirementGraph;
  /**
   * Applications whose settled state may not hold any more: touched ones, and those that lost a support. The state of
   * all others holds.
   */
  readonly #unsettled = new Set<string>();
  /** Applications whose missing requirements may have changed. */
  readonly #affected = new Set<string>();
  readonly #decided = new Map<string, boolean>();
  readonly #states = new Map<string, State>();
  readonly #hopeless = new Set<string>();
  readonly #gained: string[] = [];
  readonly #circles: (readonly string[])[] = [];

  constructor(model: RequirementModel) {
    this.#graph = new RequirementGraph(model);
  }

  /**
   * Unsettles the touched applications and those that lose a support by that. No application becomes deployable here,
   * so each support is searched for once.
   */
  lose(touched: Iterable<string>): void {
    const supports = new Map<string, Support>();
    const isSupported = (need: Need): boolean => {
      const key = keyOf(need);
      let support = supports.get(key);
      if (!support) {
        const candidates = this.#graph.candidates(need)[Symbol.iterator]();
        supports.set(key, (support = { rest: candidates, candidate: candidates.next() }));
      }
      while (!support.candidate.done && !this.#isDeployable(support.candidate.value))
        support.candidate = support.rest.next();
      return !support.candidate.done;
    };
    const queue = [...touched];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      this.#unsettled.add(name);
      if (!this.#isDeployable(name) || this.#graph.needs(name).every(isSupported)) continue;
      this.#decided.set(name, false);
      for (const needs of this.#graph.dependents(name))
        for (const { application } of needs) queue.push(application);
    }
  }

  /** Makes unsettled applications deployable where possible, and then the applications that require those. */
  gain(): void {
    const queue = [...this.#unsettled];
    const gained = (name: string): void => {
      this.#decided.set(name, true);
      this.#gained.push(name);
      for (const needs of this.#graph.dependents(name))
        for (const need of needs) {
          this.#states.set(keyOf(need), 'met');
          queue.push(need.application);
        }
    };
    const unsure = new Set<string>();
    for (;;) {
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        this.#affected.add(name);
        if (this.#isDeployable(name) || this.#isHopeless(name)) continue;
        if (this.#open(name).length > 0) unsure.add(name);
        else {
          unsure.delete(name);
          gained(name);
        }
      }
      if (unsure.size === 0) return;
      const { deployable, hopeless } = this.#together(unsure);
      for (const name of hopeless) this.#hopeless.add(name);
      for (const group of deployable) {
        const names = group.toSorted();
        if (names.length > 1) this.#circles.push(names);
        for (const name of names) gained(name);
      }
      unsure.clear();
    }
  }

  result(): Settled {
    const changed = new Map<string, readonly Missing[] | undefined>();
    for (const name of this.#affected) {
      const missing = this.#isDeployable(name) ? undefined : this.#missing(name);
      if (!sameMissing(missing, this.#graph.application(name).missing)) changed.set(name, missing);
    }
    const wasPending = (name: string): boolean => this.#graph.application(name).missing !== undefined;
    return {
      changed,
      deployable: this.#gained.filter(wasPending),
      circles: this.#circles.filter((circle) => circle.some(wasPending)),
    };
  }

  #isDeployable(name: string): boolean {
    return this.#decided.get(name) ?? this.#graph.application(name).missing === undefined;
  }

  #together(unsure: ReadonlySet<string>): ReturnType<typeof findTogether> {
    return findTogether(unsure, {
      open: (name) => this.#open(name),
      isOpen: (need) => this.#state(need) === 'pending',
      isHopeless: (name) => this.#isHopeless(name),
      candidates: (need) => this.#graph.candidates(need),
      dependents: (name) => this.#graph.dependents(name),
    });
  }

  #open(name: string): Need[] {
    return this.#graph.needs(name).filter((need) => this.#state(need) !== 'met');
  }

  #isHopeless(name: string): boolean {
    return (
      this.#hopeless.has(name) || this.#graph.needs(name).some((need) => this.#state(need) === 'hopeless')
    );
  }

  /**
   * The state of a need, computed once for unsettled applications; an application that becomes deployable updates the
   * needs that wait for it.
   */
  #state(need: Need): State {
    const key = keyOf(need);
    let state = this.#states.get(key);
    if (!state) {
      // An implied requirement is not among the recorded missing ones.
      const isUnknown = this.#unsettled.has(need.application) || need.requirement.impliedBy !== undefined;
      this.#states.set(key, (state = isUnknown ? this.#stateNow(need) : this.#stateBefore(need)));
    }
    return state;
  }

  #stateNow(need: Need): State {
    let state: State = 'hopeless';
    for (const candidate of this.#graph.candidates(need)) {
      if (this.#isDeployable(candidate)) return 'met';
      state = 'pending';
    }
    return state;
  }

  #stateBefore(need: Need): State {
    if (need.requirement.gate) return 'hopeless';
    const missing = this.#missingBefore(need);
    if (!missing) return 'met';
    return missing.applications.length > 0 ? 'pending' : 'hopeless';
  }

  #missing(name: string): Missing[] {
    const requirements = withoutImplied(this.#open(name).map(({ requirement }) => requirement));
    return requirements.map((requirement) => {
      const need = { application: name, requirement };
      return (this.#unsettled.has(name) ? undefined : this.#missingBefore(need)) ?? this.#missingNow(need);
    });
  }

  #missingBefore({ application, requirement }: Need): Missing | undefined {
    if (requirement.gate) return undefined;
    return this.#graph
      .application(application)
      .missing?.find(({ endpoint }) => endpoint === requirement.endpoint);
  }

  #missingNow(need: Need): Missing {
    const { endpoint, interface: interfaceName, shown, gate } = need.requirement;
    if (gate) return { endpoint: '', interface: '', applications: [gate.application], health: gate.health };
    const applications = [...new Set(this.#graph.candidates(need))].sort().slice(0, namedMax);
    return { endpoint, interface: interfaceName, ...defined({ shown }), applications };
  }
}

/** Position of the search for an application that satisfies a need. */
interface Support {
  readonly rest: Iterator<string>;
  candidate: IteratorResult<string>;
}

function sameMissing(a: readonly Missing[] | undefined, b: readonly Missing[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
