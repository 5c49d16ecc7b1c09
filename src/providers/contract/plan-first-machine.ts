import type { Base } from '../../core/base.ts';
import {
  mergeConstraints,
  parseConstraints,
  validateConstraints,
  type Constraints,
} from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { usableZones, zoneRequest } from '../../core/machine/choose-zone.ts';
import type { Environ } from './provider.ts';
import { defined } from '../../core/defined.ts';

/** Options of bootstrap for the first machine, as text; '' = not given. */
export interface FirstMachineWishes {
  /** Constraints of the model called `controller`: `mem=4G cores=2`. */
  readonly constraints: string;
  /** Constraints of machine 0; they override the model's. */
  readonly bootstrapConstraints: string;
  /** Placement directive of the provider: `zone=z1`. */
  readonly directive: string;
}

/** Parsed options of machine 0. */
export interface FirstMachine {
  /** Constraints of the model called `controller`. */
  readonly modelConstraints: Constraints;
  /** Constraints of machine 0: its own, merged over the model's. */
  readonly constraints: Constraints;
  /** Placement directive of the provider. */
  readonly directive?: string;
}

/** Parses the options without contacting the cloud. Errors: `not valid`. */
export function firstMachine(
  environ: Pick<Environ, 'constraints'>,
  wishes: FirstMachineWishes,
): { machine: FirstMachine; warnings: string[] } {
  const modelConstraints = parseConstraints(wishes.constraints);
  const bootstrapConstraints = parseConstraints(wishes.bootstrapConstraints);
  if (bootstrapConstraints.container || modelConstraints.container)
    throw new JujuError('not valid', 'container constraint not allowed when bootstrapping');
  const warnings = [modelConstraints, bootstrapConstraints].flatMap(
    (constraints) => validateConstraints(constraints, environ.constraints).warnings,
  );
  const constraints = mergeConstraints(modelConstraints, bootstrapConstraints, environ.constraints.conflicts);
  const { directive } = wishes;
  return {
    machine: { modelConstraints, constraints, ...defined({ directive: directive || undefined }) },
    warnings: [...new Set(warnings)],
  };
}

/**
 * Checks machine 0 with the cloud before anything is created. Returns the zones that it may be in, in the provider's
 * order; empty where the cloud has no zones. Errors: `not valid`.
 */
export async function checkFirstMachine(
  environ: Environ,
  { constraints, directive }: FirstMachine,
  base: Base,
  signal: AbortSignal,
): Promise<string[]> {
  const placed = directive === undefined ? {} : { placement: directive };
  await environ.precheck({ base, constraints, ...placed });
  const zones = (await environ.zones?.list(signal)) ?? [];
  if (zones.length === 0) return [];
  const request = zoneRequest({ constraints, placement: { scope: '', directive: directive ?? '' } });
  const found = usableZones(zones, request).map(({ name }) => name);
  if (found.length > 0) return found;
  const requestedZones = [...(request.placed ? [request.placed] : []), ...(constraints.zones ?? [])];
  const usable = zones.filter(({ available }) => available).map(({ name }) => name);
  throw new JujuError(
    'not valid',
    `no availability zone for the controller: requested ${requestedZones.join(', ') || 'any'}, usable: ${usable.join(', ') || 'none'}`,
  );
}
