/** References to a space, and what becomes of them when the space is renamed or removed (networks.md#space-uses). */
import type { ApplicationDoc } from '../application/document.ts';
import type { Constraints } from '../constraints.ts';
import type { ModelDoc } from '../model/document.ts';
import { defaultSpace } from '../space/document.ts';

export interface SpaceUses {
  /** Applications with a constraint that names the space. */
  readonly constraints: readonly string[];
  readonly modelConstraint: boolean;
  /** Applications with an endpoint bound to the space. */
  readonly bindings: readonly string[];
  /** Applications that are exposed to the space. */
  readonly exposed: readonly string[];
  /** Whether the space is the model's default-space. */
  readonly isDefault: boolean;
}

type Using = Pick<ApplicationDoc, 'name' | 'constraints' | 'endpointBindings' | 'exposed'> & {
  /** Bindings that a rollback returns to: they follow the space's new name, but do not prevent its removal. */
  readonly rollout?: { readonly before: Pick<ApplicationDoc, 'endpointBindings'> };
};

export function usesOfSpace(
  space: string,
  {
    applications,
    model,
  }: {
    readonly applications: Iterable<Using>;
    readonly model: Pick<ModelDoc, 'config' | 'constraints'>;
  },
): SpaceUses {
  const constraints: string[] = [];
  const bindings: string[] = [];
  const exposed: string[] = [];
  for (const application of applications) {
    if (namesSpace(application.constraints, space)) constraints.push(application.name);
    if (Object.values(application.endpointBindings).includes(space)) bindings.push(application.name);
    if (Object.values(application.exposed ?? {}).some(({ spaces }) => spaces.includes(space)))
      exposed.push(application.name);
  }
  return {
    constraints: constraints.sort(),
    modelConstraint: namesSpace(model.constraints, space),
    bindings: bindings.sort(),
    exposed: exposed.sort(),
    isDefault: model.config['default-space'] === space,
  };
}

function namesSpace({ spaces = [] }: Constraints, space: string): boolean {
  return spaces.some((name) => name === space || name === `^${space}`);
}

/** The new name of a space; undefined = the space is removed. */
export interface SpaceChange {
  readonly from: string;
  readonly to?: string;
}

/** The constraints after the change; the same object when they do not name the space. */
export function changeConstraints(constraints: Constraints, { from, to }: SpaceChange): Constraints {
  if (!namesSpace(constraints, from)) return constraints;
  const spaces = (constraints.spaces ?? []).flatMap((name) => {
    if (name !== from && name !== `^${from}`) return [name];
    return to === undefined ? [] : [name.startsWith('^') ? `^${to}` : to];
  });
  const { spaces: _, ...others } = constraints;
  return spaces.length === 0 ? others : { ...others, spaces };
}

/** The application after the change; the same object when it does not use the space. */
export function changeApplication<A extends Using>(application: A, change: SpaceChange): A {
  const { from, to } = change;
  const constraints = changeConstraints(application.constraints, change);
  const endpointBindings = changeBindings(application.endpointBindings, change);
  const { rollout } = application;
  const before = rollout && changeBindings(rollout.before.endpointBindings, change);
  const isBound = endpointBindings !== application.endpointBindings;
  const isBoundAgain = before !== rollout?.before.endpointBindings;
  const isExposed = Object.values(application.exposed ?? {}).some(({ spaces }) => spaces.includes(from));
  if (constraints === application.constraints && !isBound && !isBoundAgain && !isExposed) return application;
  const exposed = Object.entries(application.exposed ?? {}).map(([endpoint, sources]) => [
    endpoint,
    {
      ...sources,
      spaces: sources.spaces.flatMap((space) => (space !== from ? [space] : to === undefined ? [] : [to])),
    },
  ]);
  return {
    ...application,
    constraints,
    endpointBindings,
    ...(rollout && { rollout: { ...rollout, before: { ...rollout.before, endpointBindings: before } } }),
    ...(application.exposed ? { exposed: Object.fromEntries(exposed) } : {}),
  };
}

type Bindings = ApplicationDoc['endpointBindings'];

function changeBindings(bindings: Bindings, { from, to = defaultSpace }: SpaceChange): Bindings {
  if (!Object.values(bindings).includes(from)) return bindings;
  return Object.fromEntries(
    Object.entries(bindings).map(([endpoint, space]) => [endpoint, space === from ? to : space]),
  );
}
