/** What the controller would refuse is refused before the charm is sent, so that nothing is left behind. */
import type { Connection } from '../client/connection.ts';
import { checkBindings } from '../core/application/bindings.ts';
import { chooseBase, makeBase, parseBase, type Base } from '../core/base.ts';
import { checkSupported } from '../core/charm/check-supported.ts';
import { parseConfigValues } from '../core/charm/config.ts';
import type { ParsedCharm } from '../core/charm/parse-charm.ts';
import type { Constraints } from '../core/constraints.ts';
import { JujuError } from '../core/errors.ts';
import { checkPlacedOn } from '../core/machine/check-placed-on.ts';
import { checkRequired } from '../core/requirements/check-required.ts';
import { containerTypeOf, placedOn, type Placement } from '../core/placement.ts';
import type { MachineStatus } from '../wire/facades/client.ts';
import { applicationTag } from '../wire/tags.ts';
import { basesOfCloud } from './bases.ts';
import { call } from '../client/calls.ts';

export interface DeployPlan {
  readonly application: string;
  readonly charm: ParsedCharm;
  readonly options: Readonly<Record<string, unknown>>;
  /** --base. */
  readonly base: Base | undefined;
  readonly constraints: Constraints;
  /** --bind: endpoint → space. */
  readonly bindings: Readonly<Record<string, string>>;
  readonly force: boolean;
  /** --require. */
  readonly require: readonly string[];
}

/** Errors: `not valid`: options, bases, endpoints; those of checkSupported and checkBindings. */
export function refuseByCharm(plan: DeployPlan): void {
  const { charm, options, base, bindings, constraints, force, require } = plan;
  checkSupported(charm.meta, force);
  checkBindings(bindings, charm.meta);
  checkRequired(charm.meta, require);
  const given = Object.entries(options).filter(([name, value]) => name !== 'trust' && value !== null);
  parseConfigValues(charm.config, Object.fromEntries(given));
  const { 'image-id': imageId } = constraints;
  if (base || imageId)
    chooseBase({
      ...(base ? { requested: base } : {}),
      ...(imageId ? { imageId } : {}),
      charmBases: charm.bases,
      force,
    });
}

/** `base`: that of its machines. Errors: `already exists`; `not supported`: --require, by a controller from before it; those of checkPlacedOn. */
export async function refuseByModel(
  connection: Connection,
  plan: DeployPlan & { readonly base: Base; readonly placements: readonly Placement[] },
): Promise<void> {
  const { application, base, placements, require } = plan;
  if (require.length > 0 && !connection.login.facades.has('Requirements'))
    throw new JujuError('not supported', 'the controller does not know --require: it is too old');
  const { results } = await call(connection, 'Application', 'ApplicationsInfo', {
    entities: [{ tag: applicationTag(application) }],
  });
  if (results[0] && !results[0].error)
    throw new JujuError(
      'already exists',
      `cannot add application "${application}": application already exists`,
    );
  const named = placements.flatMap((one) => {
    const id = placedOn(one);
    // What is in a container on the machine is the container's business.
    return id === undefined ? [] : [{ id, itself: containerTypeOf(one, plan.constraints) === undefined }];
  });
  if (named.length === 0) return;
  const { machines } = await call(connection, 'Client', 'FullStatus', {
    patterns: named.map(({ id }) => id),
  });
  for (const { id, itself } of named)
    checkPlacedOn(id, described(findMachine(machines, id)), itself ? { name: application, base } : undefined);
}

/** The base of a new application, as the controller will choose it. Errors: those of chooseBase. */
export async function baseOf(connection: Connection, { base, charm, force }: DeployPlan): Promise<Base> {
  if (base) return base;
  const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
  const fallback = config['default-base']?.value;
  const available = await basesOfCloud(connection);
  return chooseBase({
    ...(typeof fallback === 'string' && fallback !== '' ? { modelDefault: parseBase(fallback) } : {}),
    charmBases: charm.bases,
    ...(available ? { available } : {}),
    force,
  });
}

function described(machine: MachineStatus | undefined): Parameters<typeof checkPlacedOn>[1] {
  if (!machine) return undefined;
  const { life } = machine['agent-status'];
  return { life: life || 'alive', base: makeBase(machine.base.name, machine.base.channel) };
}

function findMachine(
  machines: Readonly<Record<string, MachineStatus>>,
  id: string,
): MachineStatus | undefined {
  if (machines[id]) return machines[id];
  return Object.values(machines)
    .map((machine) => findMachine(machine.containers, id))
    .find(Boolean);
}
