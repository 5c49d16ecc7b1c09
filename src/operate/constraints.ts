import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import type { Base } from '../core/base.ts';
import type { Constraints } from '../core/constraints.ts';
import { hasCode } from '../core/errors.ts';
import type { Placement } from '../core/placement.ts';
import type { Operator } from './operator.ts';
import { defined } from '../core/defined.ts';

/** Machines that would be made with the constraints. */
interface NewMachines {
  readonly base: Base;
  readonly placement: readonly Placement[];
  readonly count: number;
}

/**
 * Returns the constraints in the form of the API's params after the model's cloud has accepted them and `machines` that
 * would have them. Constraints that the cloud ignores are reported as warnings. The check precedes every call that
 * would leave something behind. Errors: `not valid`.
 */
export async function checkedConstraints(
  { report }: Operator,
  connection: Connection,
  constraints: Constraints,
  machines?: NewMachines,
): Promise<ReturnType<typeof constraintsToWire>> {
  const wire = constraintsToWire(constraints);
  if (Object.keys(wire).length === 0 && !machines) return wire;
  try {
    const { warnings } = await call(connection, 'Provisioning', 'CheckConstraints', {
      constraints: wire,
      ...(machines ? { machines: { ...machines, placement: [...machines.placement] } } : {}),
    });
    for (const text of warnings) report({ kind: 'warning', text });
  } catch (error) {
    // Juju's own controllers check constraints when they receive them, and write the warnings into their log.
    if (!hasCode(error, 'not implemented')) throw error;
  }
  return wire;
}

/** Copies the lists, because the schemas of params require mutable ones. */
export function constraintsToWire({ tags, spaces, zones, ...plain }: Constraints) {
  return {
    ...plain,
    ...defined({
      tags: tags ? [...tags] : undefined,
      spaces: spaces ? [...spaces] : undefined,
      zones: zones ? [...zones] : undefined,
    }),
  };
}
