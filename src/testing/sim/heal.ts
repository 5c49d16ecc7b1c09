import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { JujuError } from '../../core/errors.ts';
import { statusId } from '../../core/status.ts';
import type { Reader } from '../../store/store.ts';
import { machineTag } from '../../wire/tags.ts';
import { tooMuchMem } from './cloud.ts';
import type { Operators } from './operators.ts';
import type { SimOperator, World } from './world.ts';

/** How often the operator looks whether somebody needs help. */
const lookMs = 60_000;

export interface Healing {
  /** From now on everything is to go. */
  destroy(): void;
}

/**
 * What people do after a bad day: nothing fails on purpose any more, failed hooks and starts are tried again, and
 * machines that are gone for good are removed by force. Goes on until no model is left.
 */
export function heal(world: World, operators: Operators): Healing {
  let destroying = false;
  operators.act(async (operator) => {
    await forModels(world, async (uuid) => {
      // In every second world nobody waits any more for what a charm requires.
      if (world.seed % 2 === 0)
        await operators.order(operator, uuid, {
          do: 'model-config',
          option: 'require-endpoints',
          value: 'none',
        });
      for (const { name, config } of world.controller.read().in(uuid).list('application'))
        for (const option of ['fail', 'slow'] as const)
          if (config[option] !== undefined)
            await operators.order(operator, uuid, {
              do: 'config',
              application: name,
              option,
              value: option === 'fail' ? '' : '0',
            });
    });
    for (;;) {
      const left = await forModels(world, async (uuid) => {
        if (destroying && world.controller.read().get('model', uuid)?.life === 'alive')
          await operators.order(operator, uuid, { do: 'destroy-model' });
        await help(world, operator, uuid);
      });
      if (left === 0) return;
      await operator.sleep(lookMs);
    }
  });
  return { destroy: () => void (destroying = true) };
}

async function help(world: World, operator: SimOperator, uuid: string): Promise<void> {
  const call = (facade: string, method: string, params: unknown): Promise<unknown> =>
    // Whatever is refused now is asked for again.
    operator.call(uuid, facade, method, params).catch((error: JujuError) => error);
  const machines = [...world.controller.read().in(uuid).list('machine')];
  const impossible = machines.filter(isImpossible);
  if (impossible.length > 0)
    await call('Provisioning', 'RetryMachines', {
      machines: impossible.map(({ id }) => machineTag(id)),
      all: false,
      constraints: { mem: 1024 },
    });
  // Those alone: what is tried again by itself needs nobody.
  const failed = machines.filter(({ id }) => isFailed(world.controller.read().in(uuid), id));
  if (failed.length > 0)
    await call('MachineManager', 'RetryProvisioning', {
      machines: failed.map(({ id }) => machineTag(id)),
      all: false,
    });
  await call('Application', 'ResolveUnitErrors', { all: true, retry: true });
  const broken = new Set(
    world.machines.filter(({ state }) => state === 'lost').map(({ instance }) => instance),
  );
  for (const { id, instance, force } of machines) {
    if (!instance || !broken.has(instance.id) || force) continue;
    const tag = machineTag(id);
    // Some are given up, and what cannot be replaced.
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

/** It wants more than there is, or to be in one zone only and in another one. */
function isImpossible({ constraints: { mem = 0, zones = [] }, placement }: MachineDoc): boolean {
  const zone = /^zone=(.*)/.exec(placement?.directive ?? '')?.[1];
  return mem >= tooMuchMem || (zone !== undefined && zones.length > 0 && !zones.includes(zone));
}

function isDone(answer: unknown): boolean {
  const { results } = answer as { readonly results?: readonly { readonly error?: unknown }[] };
  return results?.every(({ error }) => !error) ?? false;
}

/** Returns how many there were. */
async function forModels(world: World, act: (uuid: string) => Promise<void>): Promise<number> {
  let count = 0;
  for (const { uuid } of world.controller.read().list('model')) {
    if (uuid === world.controller.modelUuid) continue;
    count++;
    await act(uuid);
  }
  return count;
}
