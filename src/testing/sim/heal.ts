import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { offerAccessId } from '../../core/offer-access/document.ts';
import type { JujuError } from '../../core/errors.ts';
import { statusId } from '../../core/status.ts';
import type { Reader } from '../../store/store.ts';
import { machineTag, spaceTag } from '../../wire/tags.ts';
import { enableAll, guest } from './access.ts';
import { tooMuchMem } from './cloud.ts';
import { spacesInTheWay } from './spaces.ts';
import { endings } from './rollouts.ts';
import type { Operators } from './operators.ts';
import type { SimOperator, World } from './world.ts';

/** Interval at which the operator checks for problems. */
const lookMs = 60_000;

interface Healing {
  /** Begins to remove everything. */
  destroy(): void;
}

/** Whether a failed hook of the unit was skipped. */
type Skipped = (model: string, unit: string) => boolean;

/**
 * Acts as operators after failures: no more faults are caused, failed hooks and starts are resolved, and lost machines
 * are removed by force. The operators continue until no model is left.
 */
export function heal(world: World, operators: Operators, skipped: Skipped): Healing {
  let destroying = false;
  operators.act(async (operator) => {
    await forModels(world, async (uuid) => {
      await enableAll(world, operator, uuid);
      // In every second world, charm requirements are turned off.
      if (world.seed % 2 === 0)
        await operators.order(operator, uuid, {
          do: 'model-config',
          option: 'require-endpoints',
          value: 'none',
        });
      // Values that a rollback has reset may still be those of units on another charm.
      await calmHooks(world, operators, operator, uuid, () => true);
    });
    for (;;) {
      const left = await forModels(world, async (uuid) => {
        await enableAll(world, operator, uuid);
        // A model that is being migrated refuses changes for a while.
        if (world.controllers.length > 1)
          await calmHooks(world, operators, operator, uuid, (value) => value !== '' && value !== '0');
        if (destroying && world.controller.read().get('model', uuid)?.life === 'alive')
          await operators.order(operator, uuid, { do: 'destroy-model' });
        await shareOffers(world, operators, operator, uuid);
        await help(world, operator, uuid, skipped);
        const unfinished = destroying ? undefined : operators.files.unfinished(uuid);
        if (unfinished) await operators.order(operator, uuid, unfinished);
      });
      if (left === 0) return;
      await operator.sleep(lookMs);
    }
  });
  return { destroy: () => void (destroying = true) };
}

/** Lets the guest consume each offer: what the guest has consumed is carried again, or for the first time. */
async function shareOffers(
  world: World,
  operators: Operators,
  operator: SimOperator,
  uuid: string,
): Promise<void> {
  const root = world.controller.read();
  if (!root.get('user', guest)) return;
  for (const { application, uuid: offer } of root.in(uuid).list('offer'))
    if (root.get('offer-access', offerAccessId({ user: guest, offer }))?.access !== 'consume')
      await operators.order(operator, uuid, { do: 'grant-offer', application });
}

/** Makes hooks neither fail nor be slow where options of their application say so. */
async function calmHooks(
  world: World,
  operators: Operators,
  operator: SimOperator,
  uuid: string,
  isMeant: (value: unknown) => boolean,
): Promise<void> {
  for (const { name, config, older = {} } of world.controller.read().in(uuid).list('application'))
    for (const option of ['fail', 'slow'] as const)
      if (
        [config, ...Object.values(older)].some(
          (values) => values[option] !== undefined && isMeant(values[option]),
        )
      )
        await operators.order(operator, uuid, {
          do: 'config',
          application: name,
          option,
          value: option === 'fail' ? '' : '0',
        });
}

async function help(world: World, operator: SimOperator, uuid: string, skipped: Skipped): Promise<void> {
  const call = (facade: string, method: string, params: unknown): Promise<unknown> =>
    // Commands that are refused now are repeated later.
    operator.call(uuid, facade, method, params).catch((error: JujuError) => error);
  const machines = [...world.controller.read().in(uuid).list('machine')];
  const impossible = machines.filter(isImpossible);
  if (impossible.length > 0)
    await call('Provisioning', 'RetryMachines', {
      machines: impossible.map(({ id }) => machineTag(id)),
      all: false,
      constraints: { mem: 1024 },
    });
  for (const space of spacesInTheWay(world.controller.read().in(uuid)))
    await call('Spaces', 'RemoveSpace', {
      'space-param': [{ space: { tag: spaceTag(space) }, force: true }],
    });
  // Only permanent failures are selected: other starts are retried automatically.
  const failed = machines.filter(({ id }) => isFailed(world.controller.read().in(uuid), id));
  if (failed.length > 0)
    await call('MachineManager', 'RetryProvisioning', {
      machines: failed.map(({ id }) => machineTag(id)),
      all: false,
    });
  await call('Application', 'ResolveUnitErrors', { all: true, retry: true });
  for (const [facade, method, params] of endings(world.controller.read().in(uuid), (unit) =>
    skipped(uuid, unit),
  ))
    await call(facade, method, params);
  const broken = new Set(
    world.machines.filter(({ state }) => state === 'lost').map(({ instance }) => instance),
  );
  for (const { id, instance, force } of machines) {
    if (!instance || !broken.has(instance.id) || force) continue;
    const tag = machineTag(id);
    // Some machines are removed, including all that cannot be replaced.
    const replaced =
      Number(id) % 2 === 0 &&
      isDone(await call('Provisioning', 'ReprovisionMachines', { machines: [tag], force: true }));
    if (replaced) continue;
    await call('MachineManager', 'DestroyMachineWithParams', { 'machine-tags': [tag], force: true });
  }
}

function isFailed(view: Reader<Entities>, machine: string): boolean {
  return view.get('status', statusId('instance', machine))?.status === 'provisioning error';
}

/** Whether a machine cannot be started: it requests more memory than exists, or two different zones. */
function isImpossible({ constraints: { mem = 0, zones = [] }, placement }: MachineDoc): boolean {
  const zone = /^zone=(.*)/.exec(placement?.directive ?? '')?.[1];
  return mem >= tooMuchMem || (zone !== undefined && zones.length > 0 && !zones.includes(zone));
}

function isDone(answer: unknown): boolean {
  const { results } = answer as { readonly results?: readonly { readonly error?: unknown }[] };
  return results?.every(({ error }) => !error) ?? false;
}

/** Runs `act` for each model. Returns the number of models. */
async function forModels(world: World, act: (uuid: string) => Promise<void>): Promise<number> {
  let count = 0;
  for (const { uuid } of world.controller.read().list('model')) {
    if (uuid === world.controller.modelUuid) continue;
    count++;
    await act(uuid);
  }
  return count;
}
