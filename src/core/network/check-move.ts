/** Which applications a move of subnets would cut off (networks.md#moved-subnets). */
import type { ApplicationDoc } from '../application/document.ts';
import { defaultSpace } from '../space/document.ts';

/** A unit's machine, as the move would leave it. */
export interface MovedUnit {
  readonly name: string;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

type Bound = Pick<ApplicationDoc, 'name' | 'constraints' | 'endpointBindings'>;

/** Spaces that an application asks for, beside the default one, with the reason in Juju's words. */
function askedSpaces({ name, constraints, endpointBindings }: Bound): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const space of constraints.spaces ?? [])
    if (!space.startsWith('^')) reasons.set(space, `space constraints for application "${name}": ${space}`);
  for (const [endpoint, space] of Object.entries(endpointBindings))
    if (!reasons.has(space))
      reasons.set(space, `endpoint binding ${endpoint}:${space} for application "${name}"`);
  reasons.delete(defaultSpace);
  return reasons;
}

/** Whether the application asks for one of the spaces, or excludes the one that subnets move to. */
export function concernsMove(application: Bound, lost: ReadonlySet<string>, to: string): boolean {
  if (application.constraints.spaces?.includes(`^${to}`)) return true;
  return [...askedSpaces(application).keys()].some((space) => lost.has(space));
}

/** Problems of one application, in Juju's words; [] = the move leaves its units where they have to be. */
export function problemsOfMove(application: Bound, units: readonly MovedUnit[], to: string): string[] {
  const moving = `moving subnet(s) to space "${to}" violates`;
  const problems: string[] = [];
  for (const [space, reason] of askedSpaces(application)) {
    const cut = units.filter(({ before, after }) => before.has(space) && !after.has(space));
    if (cut.length > 0)
      problems.push(`${moving} ${reason}\n\tunits not connected to the space: ${namesOf(cut)}`);
  }
  if (application.constraints.spaces?.includes(`^${to}`)) {
    const joined = units.filter(({ before, after }) => !before.has(to) && after.has(to));
    if (joined.length > 0)
      problems.push(
        `${moving} space constraints for application "${application.name}": ^${to}\n\t` +
          `units connected to the space: ${namesOf(joined)}`,
      );
  }
  return problems;
}

/** Maximum number of units that are named. */
const namedUnits = 20;

function namesOf(units: readonly MovedUnit[]): string {
  const names = units.slice(0, namedUnits).map(({ name }) => name);
  return [...names, ...(units.length > namedUnits ? [`and ${units.length - namedUnits} more`] : [])].join(
    ', ',
  );
}
