import { randomUUID } from 'node:crypto';
import type { Base } from '../../core/base.ts';
import {
  mergeConstraints,
  parseConstraints,
  validateConstraints,
  type Constraints,
} from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { usableZones, zoneWishes } from '../../core/machine/choose-zone.ts';
import type { Environ, Provider, ProviderConfig } from '../../providers/provider.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import type { InitConfig } from '../../wire/controller-init.ts';

/** Machine 0, as it was asked for. */
export interface FirstMachine {
  /** Of the model called `controller`. */
  readonly modelConstraints: Constraints;
  /** The model's, under those that were given for this machine. */
  readonly constraints: Constraints;
  /** The provider's. */
  readonly directive?: string;
  /** '' where there are none. */
  readonly zone: string;
}

/**
 * Checks what bootstrap was asked for with the provider, before anything is made. The controller runs on this host, so
 * that what machine 0 is asked to have is written down, and counts for those that join it. Errors: `not valid`.
 */
export async function planFirstMachine({
  config,
  provider,
  cloudConfig,
  controllerUuid,
  stateDir,
  base,
}: {
  readonly config: InitConfig;
  readonly provider: Provider;
  readonly cloudConfig: ProviderConfig;
  readonly controllerUuid: string;
  readonly stateDir: string;
  readonly base: Base;
}): Promise<{ machine: FirstMachine; warnings: string[] }> {
  const own = Object.entries(config.modelConfig ?? {}).filter(([key]) => key in provider.config);
  const environ = provider.open({
    cloud: { ...config.cloud, endpoint: '', config: cloudConfig },
    config: provider.validate({ ...cloudConfig, ...Object.fromEntries(own) }),
    controllerUuid,
    modelUuid: randomUUID(),
    modelName: 'controller',
    stateDir,
    clock: systemClock,
    log: silentLog,
  });
  const modelConstraints = parseConstraints(config.constraints ?? '');
  const asked = parseConstraints(config.bootstrapConstraints ?? '');
  if (asked.container || modelConstraints.container)
    throw new JujuError('not valid', 'container constraint not allowed when bootstrapping');
  const warnings = [modelConstraints, asked].flatMap(
    (constraints) => validateConstraints(constraints, environ.constraints).warnings,
  );
  const constraints = mergeConstraints(modelConstraints, asked, environ.constraints.conflicts);
  const { placement: directive } = config;
  const placed = directive === undefined ? {} : { placement: directive };
  await environ.precheck({ base, constraints, ...placed });
  const zone = await zoneFor(environ, constraints, directive);
  return {
    machine: { modelConstraints, constraints, ...(directive === undefined ? {} : { directive }), zone },
    warnings: [...new Set(warnings)],
  };
}

/** The one that is named, else the first that may be used, in the provider's order (domain-facts §2.7). */
async function zoneFor(environ: Environ, constraints: Constraints, directive = ''): Promise<string> {
  const zones = (await environ.zones?.list(new AbortController().signal)) ?? [];
  const wishes = zoneWishes({ constraints, placement: { scope: '', directive } });
  const [zone] = usableZones(zones, wishes);
  if (zone || zones.length === 0) return zone?.name ?? '';
  const asked = [...(wishes.placed ? [wishes.placed] : []), ...(constraints.zones ?? [])];
  const usable = zones.filter(({ available }) => available).map(({ name }) => name);
  throw new JujuError(
    'not valid',
    `no availability zone for the controller: asked for ${asked.join(', ') || 'any'}, usable are: ${usable.join(', ') || 'none'}`,
  );
}
