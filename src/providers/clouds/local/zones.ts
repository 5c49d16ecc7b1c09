/** Named zones of one host: they spread machines as a cloud does, and simulate the failure of a zone. */
import type { Constraints } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import { zoneConflict } from '../../../core/machine/choose-zone.ts';
import { onlyZoneOf } from '../../../core/placement.ts';
import { ProviderError, type StartParams } from '../../contract/provider.ts';
import { defined } from '../../../core/defined.ts';

export interface Zones {
  /** Zones in the order of the configuration; empty = none. */
  readonly names: readonly string[];
  readonly unavailable: readonly string[];
}

/**
 * Checks the zones of a request. Errors: JujuError `not valid` for a directive or a zone that is unknown or excluded by
 * the constraint.
 */
export function precheckZones(
  { names }: Zones,
  {
    placement,
    zone = onlyZoneOf(placement),
    constraints,
  }: { placement?: string | undefined; zone?: string | undefined; constraints: Constraints },
): void {
  if (zone !== undefined && names.length === 0)
    throw new JujuError('not valid', `this cloud has no zones: zone=${zone}`);
  // Without zones the constraint is unsupported and only causes a warning.
  const requested = [
    ...(zone === undefined ? [] : [zone]),
    ...(names.length > 0 ? (constraints.zones ?? []) : []),
  ];
  const unknown = requested.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new JujuError(
      'not valid',
      `availability zone "${unknown}" not valid: this cloud's zones are ${names.join(', ')}`,
    );
  const request = { constraints, ...defined({ placed: zone }) };
  const conflict = zoneConflict(
    names.map((name) => ({ name })),
    request,
  );
  if (conflict !== undefined) throw new JujuError('not valid', conflict);
}

/**
 * Returns the zone of a new machine: the chosen or directed one, else the first that is permitted and available;
 * undefined where there are none. Errors: ProviderError `bad request`, `zonal`.
 */
export function zoneForStart({ names, unavailable }: Zones, start: StartParams): string | undefined {
  try {
    precheckZones({ names, unavailable }, start);
  } catch (error) {
    throw new ProviderError('bad request', (error as Error).message, { cause: error });
  }
  if (names.length === 0) return undefined;
  const requested = start.zone ?? onlyZoneOf(start.placement);
  const allowed =
    requested === undefined ? names.filter((name) => isAllowed(start.constraints, name)) : [requested];
  const zone = allowed.find((name) => names.includes(name) && !unavailable.includes(name));
  if (zone === undefined) throw new ProviderError('zonal', `no zone is available of: ${allowed.join(', ')}`);
  return zone;
}

function isAllowed({ zones = [] }: Constraints, name: string): boolean {
  return zones.length === 0 || zones.includes(name);
}
