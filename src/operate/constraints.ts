import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import type { Constraints } from '../core/constraints.ts';
import { hasCode } from '../core/errors.ts';
import type { Operator } from './operator.ts';

/**
 * As params have them, when the model's cloud has no objection; what it will ignore is a warning. Asked before anything
 * is sent that would leave something behind. Errors: `not valid`.
 */
export async function checkedConstraints(
  { report }: Operator,
  connection: Connection,
  constraints: Constraints,
): Promise<ReturnType<typeof constraintsToWire>> {
  const wire = constraintsToWire(constraints);
  if (Object.keys(wire).length === 0) return wire;
  try {
    const { warnings } = await call(connection, 'Provisioning', 'CheckConstraints', { constraints: wire });
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
