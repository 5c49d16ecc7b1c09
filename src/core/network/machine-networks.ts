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

export interface NeedsOfMachine {
  readonly constraints: Constraints;
  /** The bindings of each application with a unit on the machine. */
  readonly bindings: readonly Readonly<Record<string, string>>[];
  readonly hasSpace: (name: string) => boolean;
  readonly subnetsIn: (space: string) => readonly string[];
}

/**
 * Undefined when the machine may be on any network. A space in the constraints that the model does not have any more asks
 * for nothing. Errors: '' when a space is excluded to which an endpoint is bound, or has no subnets.
 */
export function machineNetworks(needs: NeedsOfMachine): MachineNetworks | undefined {
  const { constraints, bindings, hasSpace, subnetsIn } = needs;
  const known = (constraints.spaces ?? []).filter((text) => hasSpace(text.replace(/^\^/, '')));
  const excluded = new Set(known.flatMap((text) => (text.startsWith('^') ? [text.slice(1)] : [])));
  const included = known.filter((text) => !text.startsWith('^'));
  const bound = new Set(bindings.flatMap((one) => [...askedSpaces(one)]));
  const asked = new Set([...included, ...bound]);
  // The model's own space is asked for by itself only beside others: every machine is in it.
  const hasDefault = bindings.some((one) => Object.values(one).includes(defaultSpace));
  if (asked.size > 0 && hasDefault && !excluded.has(defaultSpace)) asked.add(defaultSpace);
  const conflict = [...asked].find((space) => excluded.has(space));
  if (conflict !== undefined)
    throw new JujuError('', `negative space constraint "${conflict}" conflicts with endpoint bindings`);
  if (asked.size + excluded.size === 0) return undefined;
  const spaces = [...asked]
    .sort((a, b) => Number(b === defaultSpace) - Number(a === defaultSpace) || (a < b ? -1 : 1))
    .map((name) => ({ name, subnets: [...subnetsIn(name)].sort() }))
    // As long as no subnet of the model's own space is known, it is wherever the cloud starts machines.
    .filter(({ name, subnets }) => name !== defaultSpace || subnets.length > 0);
  const empty = spaces.find(({ subnets }) => subnets.length === 0);
  if (empty)
    throw new JujuError(
      '',
      `space "${empty.name}" has no subnets: reload-spaces asks the cloud for its networks, move-to-space moves a subnet there`,
    );
  return { spaces, excluded: [...excluded].flatMap(subnetsIn).sort() };
}
