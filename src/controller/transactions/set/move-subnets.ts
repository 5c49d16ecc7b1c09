import { JujuError, notFound } from '../../../core/errors.ts';
import { spacesOfSubnets, subnetsOfMachine, type FindSubnet } from '../../../core/network/address-space.ts';
import { concernsMove, problemsOfMove, type MovedUnit } from '../../../core/network/check-move.ts';
import type { SubnetDoc } from '../../../core/subnet/document.ts';
import { checkSpace, putSubnets } from '../shared/spaces.ts';
import type { Tx } from '../tx.ts';

interface MovedSubnets {
  /** The subnets as they were. */
  readonly moved: readonly SubnetDoc[];
  /** Warnings about what a forced move breaks. */
  readonly warnings: readonly string[];
}

/**
 * Moves subnets, by their ids, to another space. Errors: `not found` (subnet, space); '' when units would lose a space
 * that their application asks for, or come into a space that it excludes, unless the move is forced.
 */
export function moveSubnets(
  tx: Tx,
  {
    subnets: ids,
    space,
    force,
  }: { readonly subnets: readonly string[]; readonly space: string; readonly force: boolean },
): MovedSubnets {
  checkSpace(tx, space);
  const moved = [...new Set(ids)].map((id) => {
    const [subnet] = tx.find('subnet', 'id', id);
    if (!subnet) throw notFound('subnet', id);
    return subnet;
  });
  const problems = problemsOf(tx, moved, space);
  if (problems.length > 0 && !force) throw new JujuError('', problems.join('\n'));
  putSubnets(
    tx,
    moved.map(({ cidr }) => cidr),
    space,
  );
  return { moved, warnings: problems };
}

function problemsOf(tx: Tx, moved: readonly SubnetDoc[], to: string): string[] {
  const lost = new Set(moved.map(({ space }) => space).filter((space) => space !== to));
  const now: FindSubnet = (cidr) => tx.get('subnet', cidr);
  const cidrs = new Set(moved.map(({ cidr }) => cidr));
  const then: FindSubnet = (cidr) => (cidrs.has(cidr) ? { space: to } : now(cidr));
  const machines = new Map<string, Omit<MovedUnit, 'name'>>();
  const machineOf = (id: string): Omit<MovedUnit, 'name'> => {
    const known = machines.get(id);
    if (known) return known;
    const subnets = subnetsOfMachine(tx.get('machine', id)?.addresses ?? []);
    const moves = { before: spacesOfSubnets(subnets, now), after: spacesOfSubnets(subnets, then) };
    machines.set(id, moves);
    return moves;
  };
  return [...tx.list('application')]
    .filter((application) => concernsMove(application, lost, to))
    .flatMap((application) => {
      const units = [...tx.find('unit', 'application', application.name)].flatMap(
        ({ name, machine }): MovedUnit[] => (machine === undefined ? [] : [{ name, ...machineOf(machine) }]),
      );
      return problemsOfMove(application, units, to);
    });
}
