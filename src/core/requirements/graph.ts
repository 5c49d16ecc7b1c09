/** Applications and their relations, as far as requirements are concerned. */
import type { RelationEndpoint } from '../relation/document.ts';
import type { Missing, Requirement } from './requirement.ts';

/** The part of a model that is read; the model may exist or be planned (a bundle's). */
export interface RequirementModel {
  application(name: string): RequiringApplication | undefined;
  /** Alive relations of the application; with `endpoint` only those on that endpoint. */
  relations(
    application: string,
    endpoint?: string,
  ): Iterable<{ readonly endpoints: readonly RelationEndpoint[] }>;
}
export interface RequiringApplication {
  readonly subordinate: boolean;
  readonly requirements: readonly Requirement[];
  /** The requirements that were missing when the application was last settled; absent: none. */
  readonly missing?: readonly Missing[] | undefined;
}

/** A requirement, with the application that has it. */
export interface Need {
  readonly application: string;
  readonly requirement: Requirement;
}

export function keyOf({ application, requirement: { endpoint, gate } }: Need): string {
  return gate ? `${application} after ${gate.application}` : `${application} ${endpoint}`;
}

/**
 * Applications at the ends of a relation of which the relation may satisfy a requirement; settle() has to look at them
 * when the relation begins or ends.
 */
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
    let application = this.#known.get(name);
    // An unknown application has no requirements and no relations.
    if (!application)
      this.#known.set(
        name,
        (application = this.#model.application(name) ?? { subordinate: false, requirements: [] }),
      );
    return application;
  }

  needs(application: string): Need[] {
    return this.application(application).requirements.map((requirement) => ({ application, requirement }));
  }

  /** The application at the other end of each relation that would satisfy the need; once per relation. */
  *candidates({ application, requirement }: Need): Iterable<string> {
    if (requirement.gate) return;
    const endpoint = requirement.anyPrincipal ? undefined : requirement.endpoint;
    for (const { endpoints } of this.#model.relations(application, endpoint))
      for (const [own, other] of sides(endpoints))
        if (own.application === application && this.#satisfies(requirement, own, other))
          yield other.application;
  }

  /** The needs of others that each of the application's relations would satisfy; mostly none or one. */
  *dependents(application: string): Iterable<readonly Need[]> {
    for (const { endpoints } of this.#model.relations(application))
      yield this.satisfied(endpoints).filter((need) => need.application !== application);
  }

  /** The needs that a relation would satisfy, at either end. */
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

/** Each end paired with the other; a peer relation has no pairs. */
function* sides(
  endpoints: readonly RelationEndpoint[],
): Iterable<readonly [own: RelationEndpoint, other: RelationEndpoint]> {
  const [a, b] = endpoints;
  if (!a || !b) return;
  yield [a, b];
  yield [b, a];
}
