import { checkSpaces } from '../../../core/application/bindings.ts';
import { hasSpace } from '../../../core/network/address-space.ts';
import { constraintsFromWire, validateConstraints, type Constraints } from '../../../core/constraints.ts';
import { currentModel } from './model.ts';
import type { Call } from '../../facade.ts';

/**
 * Validates constraints of a client for the model's cloud. `warnings` are Juju's "unsupported constraints: tags,zones".
 * Errors: `not found` (space), `not valid` (an unknown value or key, ambiguous ones, a value that the cloud does not
 * have).
 */
export function validConstraints(
  call: Call,
  raw: Readonly<Record<string, unknown>>,
): { constraints: Constraints; warnings: string[] } {
  const constraints = constraintsFromWire(raw);
  const { uuid } = currentModel(call);
  const view = call.read().in(uuid);
  checkSpaces(constraints, (name) => hasSpace(name, (id) => view.get('space', id)));
  return {
    constraints,
    ...validateConstraints(constraints, call.services.environ(uuid, call.read()).constraints),
  };
}

/**
 * Logs warnings in the model's log, as Juju's controller does: clients that ignore warnings leave them to debug-log.
 */
export function logWarnings(call: Call, subject: string, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const ts = new Date(call.services.clock.now()).toISOString();
  call.services.logs.append(
    currentModel(call).uuid,
    warnings.map((warning) => ({
      ts,
      tag: 'controller-0',
      sev: 'WARNING',
      mod: 'juju.constraints',
      loc: '',
      msg: `${subject}: ${warning}`,
    })),
  );
}
