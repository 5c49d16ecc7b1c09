/** Placements and their text (placing.md#placement-text). */
import type { Constraints } from './constraints.ts';
import { JujuError } from './errors.ts';
import { isMachineId } from './names.ts';

/**
 * The requested place of a unit or machine. Scope `#` = a machine id, `lxd` = in a container, a model's uuid = the
 * provider's own directive.
 */
export interface Placement {
  readonly scope: string;
  readonly directive: string;
}

/** The scope of an existing machine. */
export const machineScope = '#';

/** The scope of a provider's own directive from clients that leave the model's uuid to the controller. */
export const ownModelScope = 'model-uuid';

const containerTypes = ['lxd', 'kvm'];

/** Whether the text is a container type; `none` is only a constraint's value. */
export function isContainerType(text: string): boolean {
  return containerTypes.includes(text);
}

/** The type of container requested by the placement (`lxd`, `lxd:1`) or the constraint; undefined = none. */
export function containerTypeOf(
  placement: Placement | undefined,
  { container }: Pick<Constraints, 'container'>,
): string | undefined {
  if (placement && isContainerType(placement.scope)) return placement.scope;
  return container === undefined || container === '' || container === 'none' ? undefined : container;
}

/** The existing machine that the placement names, or whose container it asks for. */
export function placedOn({ scope, directive }: Placement): string | undefined {
  const names = scope === machineScope || isContainerType(scope);
  return names && directive !== '' ? directive : undefined;
}

/**
 * Parses a placement: `5` and `#:5` a machine, `lxd` a new container on a new machine, `lxd:5` one on machine 5,
 * `scope:directive` as it says. Anything else is the provider's own directive when the model's uuid is given, else an
 * error. Errors: `not valid`, "placement scope missing".
 */
export function parsePlacement(text: string, modelUuid?: string): Placement {
  const colon = text.indexOf(':');
  if (colon >= 0) return withScope(text.slice(0, colon), text.slice(colon + 1));
  if (isMachineId(text)) return { scope: machineScope, directive: text };
  if (isContainerType(text)) return { scope: text, directive: '' };
  if (modelUuid === undefined || text === '') throw missing();
  return { scope: modelUuid, directive: text };
}

/** The zone of a directive: `zone=z1` → `z1`; undefined for another directive, or none. */
export function zoneOfDirective(directive = ''): string | undefined {
  return directive.startsWith('zone=') ? directive.slice('zone='.length) : undefined;
}

/** The zone of a directive, for clouds that support no other directive. Errors: `not valid`. */
export function onlyZoneOf(directive: string | undefined): string | undefined {
  const zone = zoneOfDirective(directive);
  if (directive && zone === undefined)
    throw new JujuError('not valid', `unknown placement directive: ${directive}`);
  return zone;
}

function withScope(scope: string, directive: string): Placement {
  if (scope === '') throw missing();
  if ((scope === machineScope || isContainerType(scope)) && !isMachineId(directive))
    throw new JujuError(
      'not valid',
      `invalid value "${directive}" for "${scope}" scope: expected machine-id`,
    );
  return { scope, directive };
}

function missing(): JujuError {
  return new JujuError('not valid', 'placement scope missing');
}
