/** Applications and their relations, as far as requirements are concerned. */
import type { RelationEndpoint } from '../relation/document.ts';
import type { Missing, Requirement } from './requirement.ts';

/** What is read of a model, or of one that is yet to be (a bundle's). */
export interface RequirementModel {
  application(name: string): RequiringApplication | undefined;
  /** The alive ones that it has an end of; with `endpoint` only those on that one. */
  relations(
    application: string,
    endpoint?: string,
  ): Iterable<{ readonly endpoints: readonly RelationEndpoint[] }>;
}
export interface RequiringApplication {
  readonly subordinate: boolean;
  readonly requirements: readonly Requirement[];
  /** As it was settled last; absent: nothing is missing. */
  readonly missing?: readonly Missing[];
}

/** A requirement, and whose it is. */
export interface Need {
  readonly application: string;
  readonly requirement: Requirement;
}

export function keyOf({ application, requirement }: Need): string {
  return `${application} ${requirement.endpoint}`;
}

/** Those of its ends to which it matters that the relation is there: what settle() is told when it begins or ends. */
export function touchedBy(
  model: RequirementModel,
  { endpoints }: { readonly endpoints: readonly RelationEndpoint[] },
): string[] {
  return [...new Set(new RequirementGraph(model).satisfied(endpoints).map(({ application }) => application))];
}

export class RequirementGraph {
  readonly #model: RequirementModel;
  readonly #known = new Map<string, RequiringApplication>();

  constructor(model: RequirementModel) {
    this.#model = model;
  }

  application(name: string): RequiringApplication {
    let known = this.#known.get(name);
    // What is not there has nothing that it could be missing, and no relations either.
    if (!known)
      this.#known.set(
        name,
        (known = this.#model.application(name) ?? { subordinate: false, requirements: [] }),
      );
    return known;
  }

  needs(application: string): Need[] {
    return this.application(application).requirements.map((requirement) => ({ application, requirement }));
  }

  /** The other end of each relation that would satisfy it: once a relation. */
  *candidates({ application, requirement }: Need): Iterable<string> {
    const endpoint = requirement.anyPrincipal ? undefined : requirement.endpoint;
    for (const { endpoints } of this.#model.relations(application, endpoint))
      for (const [own, other] of sides(endpoints))
        if (own.application === application && this.#satisfies(requirement, own, other))
          yield other.application;
  }

  /** What it is a candidate for, relation by relation: mostly nothing, or one. */
  *dependents(application: string): Iterable<readonly Need[]> {
    for (const { endpoints } of this.#model.relations(application))
      yield this.satisfied(endpoints).filter((need) => need.application !== application);
  }

  /** What a relation would satisfy, of either end. */
  satisfied(endpoints: readonly RelationEndpoint[]): Need[] {
    return [...sides(endpoints)].flatMap(([own, other]) =>
      this.needs(own.application).filter(({ requirement }) => this.#satisfies(requirement, own, other)),
    );
  }

  #satisfies(
    { endpoint, anyPrincipal }: Requirement,
    own: RelationEndpoint,
    other: RelationEndpoint,
  ): boolean {
    if (anyPrincipal) return own.scope === 'container' && !this.application(other.application).subordinate;
    return own.name === endpoint && own.role === 'requirer';
  }
}

/** Each end with the other; a peer relation has no other. */
function* sides(
  endpoints: readonly RelationEndpoint[],
): Iterable<readonly [own: RelationEndpoint, other: RelationEndpoint]> {
  const [a, b] = endpoints;
  if (!a || !b) return;
  yield [a, b];
  yield [b, a];
}
