import type { JujuError } from '../../core/errors.ts';
import { machineTag } from '../../wire/tags.ts';
import type { Operators } from './operators.ts';
import type { SimOperator, World } from './world.ts';

/** How often the operator looks whether somebody needs help. */
const lookMs = 60_000;

export interface Healing {
  /** From now on everything is to go. */
  destroy(): void;
}

/**
 * What people do after a bad day: nothing fails on purpose any more, failed hooks and starts are tried again, and machines
 * that are gone for good are removed by force. Goes on until no model is left.
 */
export function heal(world: World, operators: Operators): Healing {
  let destroying = false;
  operators.act(async (operator) => {
    await forModels(world, async (uuid) => {
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
  await call('MachineManager', 'RetryProvisioning', { all: true });
  await call('Application', 'ResolveUnitErrors', { all: true, retry: true });
  for (const { state, model, id } of world.machines) {
    const machine = world.controller.read().in(uuid).get('machine', id);
    if (state !== 'lost' || model !== uuid || !machine || machine.force) continue;
    await call('MachineManager', 'DestroyMachineWithParams', {
      'machine-tags': [machineTag(id)],
      force: true,
    });
  }
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
