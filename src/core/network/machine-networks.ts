/** The networks on which a machine is started, by the spaces that it needs (networks.md#networks-of-machines). */
import { askedSpaces } from '../application/bindings.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError } from '../errors.ts';
import { defaultSpace } from '../space/document.ts';

export interface MachineNetworks {
  /** The spaces in each of which the machine has to be, the model's own first, with their subnets as CIDRs. */
  readonly spaces: readonly { readonly name: string; readonly subnets: readonly string[] }[];
  /** Subnets of excluded spaces, as CIDRs. */
  readonly excluded: readonly string[];
}

interface NeedsOfMachine {
  readonly constraints: Constraints;
  /** The bindings of each application with a unit on the machine. */
  readonly bindings: readonly Readonly<Record<string, string>>[];
  readonly hasSpace: (name: string) => boolean;
  readonly subnetsIn: (space: string) => readonly string[];
}

/** Message of clouds that do not choose networks. */
export const networksRefused =
  'the cloud does not choose networks: bindings and constraints cannot ask for spaces of new machines';

/** Why a container cannot be started in the spaces. */
export function severalSpaces(spaces: readonly string[]): string {
  return `a container is on one network of its host, and cannot be in several spaces: ${spaces.join(', ')}`;
}

/**
 * The spaces in each of which a machine has to be, the model's own first, and those that it must not be in. A space in
 * the constraints that the model does not have any more asks for nothing.
 */
export function wantedSpaces({
  constraints,
  bindings,
  hasSpace,
}: Pick<NeedsOfMachine, 'constraints' | 'bindings' | 'hasSpace'>): {
  readonly asked: readonly string[];
  readonly excluded: readonly string[];
} {
  const known = (constraints.spaces ?? []).filter((text) => hasSpace(text.replace(/^\^/, '')));
  const excluded = new Set(known.flatMap((text) => (text.startsWith('^') ? [text.slice(1)] : [])));
  const included = known.filter((text) => !text.startsWith('^'));
  const asked = new Set([...included, ...bindings.flatMap((one) => [...askedSpaces(one)])]);
  // The model's own space is asked for by itself only beside others: every machine is in it.
  const hasDefault = bindings.some((one) => Object.values(one).includes(defaultSpace));
  if (asked.size > 0 && hasDefault && !excluded.has(defaultSpace)) asked.add(defaultSpace);
  const ownFirst = (space: string): number => Number(space !== defaultSpace);
  return {
    asked: [...asked].sort((a, b) => ownFirst(a) - ownFirst(b) || (a < b ? -1 : 1)),
    excluded: [...excluded],
  };
}

/**
 * The networks of a machine; undefined when the machine may be on any network. Errors: '' when a space is excluded to
 * which an endpoint is bound, or has no subnets.
 */
export function machineNetworks(needs: NeedsOfMachine): MachineNetworks | undefined {
  const { subnetsIn } = needs;
  const { asked, excluded } = wantedSpaces(needs);
  const conflict = asked.find((space) => excluded.includes(space));
  if (conflict !== undefined)
    throw new JujuError('', `negative space constraint "${conflict}" conflicts with endpoint bindings`);
  if (asked.length + excluded.length === 0) return undefined;
  const spaces = asked
    .map((name) => ({ name, subnets: [...subnetsIn(name)].sort() }))
    // As long as no subnet of the model's own space is known, that space is wherever the cloud starts machines.
    .filter(({ name, subnets }) => name !== defaultSpace || subnets.length > 0);
  const empty = spaces.find(({ subnets }) => subnets.length === 0);
  if (empty)
    throw new JujuError(
      '',
      `space "${empty.name}" has no subnets: reload-spaces asks the cloud for its networks, move-to-space moves a subnet there`,
    );
  return { spaces, excluded: excluded.flatMap(subnetsIn).sort() };
}
