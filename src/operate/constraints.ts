import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import type { Base } from '../core/base.ts';
import type { Constraints } from '../core/constraints.ts';
import { hasCode } from '../core/errors.ts';
import type { Placement } from '../core/placement.ts';
import type { Operator } from './operator.ts';

/** Machines that would be made with the constraints. */
export interface NewMachines {
  readonly base: Base;
  readonly placement: readonly Placement[];
  readonly count: number;
}

/**
 * As params have them, when the model's cloud has no objection to them, nor to `machines` that would have them; what it
 * will ignore is a warning. Asked before anything is sent that would leave something behind. Errors: `not valid`.
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
    // A controller of Juju's checks them when it gets them, and writes its warnings into its log.
    if (!hasCode(error, 'not implemented')) throw error;
  }
  return wire;
}

/** Lists of their own, as the schemas of params want them. */
export function constraintsToWire({ tags, spaces, zones, ...plain }: Constraints) {
  return {
    ...plain,
    ...(tags ? { tags: [...tags] } : {}),
    ...(spaces ? { spaces: [...spaces] } : {}),
    ...(zones ? { zones: [...zones] } : {}),
  };
}
