/** Constraints as users type them. */
import type { Connection } from '../client/connection.ts';
import { parseConstraints, type Constraints } from '../core/constraints.ts';
import { hasCode } from '../core/errors.ts';
import { call } from './calls.ts';
import type { CommandContext } from './context.ts';

/** `['mem=2G', 'cores=2']`: words, or texts of several. Errors: `not valid`, as Juju words them. */
export function readConstraints(words: readonly string[]): Constraints {
  return parseConstraints(words.join(' '));
}

/**
 * As params have them, when the model's cloud has no objection; what it will ignore is a warning. Asked before anything
 * is sent that would leave something behind. Errors: `not valid`.
 */
export async function checkedConstraints(
  context: CommandContext,
  connection: Connection,
  constraints: Constraints,
): Promise<ReturnType<typeof constraintsToWire>> {
  const wire = constraintsToWire(constraints);
  if (Object.keys(wire).length === 0) return wire;
  try {
    const { warnings } = await call(connection, 'Provisioning', 'CheckConstraints', { constraints: wire });
    for (const warning of warnings) context.warning(warning);
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
