/**
 * Checks that the controller would make too, before the charm is sent, so that a refused deploy leaves nothing behind.
 */
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import type { DeployRequest } from '../../core/application/check-deploy.ts';
import { chooseBase, makeBase, parseBase, type Base } from '../../core/base.ts';
import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import { JujuError } from '../../core/errors.ts';
import { checkPlacedOn } from '../../core/machine/check-placed-on.ts';
import { containerTypeOf, placedOn } from '../../core/placement.ts';
import type { MachineStatus } from '../../wire/facades/client.ts';
import { applicationTag } from '../../wire/tags.ts';
import { basesOfCloud } from '../bases.ts';
import { defined } from '../../core/defined.ts';

/**
 * Checks the request against the model. `base` is the base of the application's machines. Errors: `already exists`;
 * `not supported` for --require and --after on a controller without requirements; those of checkPlacedOn.
 */
export async function refuseByModel(
  connection: Connection,
  request: DeployRequest,
  base: Base,
): Promise<void> {
  const { name, placement, require = [], after = {} } = request;
  const asked = [
    ...(require.length > 0 ? ['--require'] : []),
    ...(Object.keys(after).length > 0 ? ['--after'] : []),
  ];
  if (asked.length > 0 && !connection.login.facades.has('Requirements'))
    throw new JujuError('not supported', `the controller is too old to support ${asked.join(' and ')}`);
  const { results } = await call(connection, 'Application', 'ApplicationsInfo', {
    entities: [{ tag: applicationTag(name) }],
  });
  if (results[0] && !results[0].error)
    throw new JujuError('already exists', `cannot add application "${name}": application already exists`);
  const targets = placement.flatMap((target) => {
    const id = placedOn(target);
    // The machine's base does not matter to units that run in a container on it.
    return id === undefined
      ? []
      : [{ id, isDirect: containerTypeOf(target, request.constraints) === undefined }];
  });
  if (targets.length === 0) return;
  const { machines } = await call(connection, 'Client', 'FullStatus', {
    patterns: targets.map(({ id }) => id),
  });
  for (const { id, isDirect } of targets)
    checkPlacedOn(id, placementTarget(findMachine(machines, id)), isDirect ? { name, base } : undefined);
}

/** Returns the base that the controller will choose for a new application. Errors: those of chooseBase. */
export async function baseOf(
  connection: Connection,
  { base, force = false }: DeployRequest,
  charm: Pick<ParsedCharm, 'bases'>,
): Promise<Base> {
  if (base) return base;
  const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
  const fallback = config['default-base']?.value;
  const available = await basesOfCloud(connection);
  return chooseBase({
    ...(typeof fallback === 'string' && fallback !== '' ? { modelDefault: parseBase(fallback) } : {}),
    charmBases: charm.bases,
    ...defined({ available }),
    force,
  });
}

function placementTarget(machine: MachineStatus | undefined): Parameters<typeof checkPlacedOn>[1] {
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
