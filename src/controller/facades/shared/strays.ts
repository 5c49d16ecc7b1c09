import type { z } from 'zod';
import { harvestModeOf } from '../../../core/model/restored.ts';
import type { strays } from '../../../wire/facades/strays.ts';
import type { View } from '../../transactions/tx.ts';

type Strays = z.output<typeof strays>;

/** Instances that no machine of the view's model has, the oldest first. */
export function straysOf(view: View): Strays {
  const model = view.in('').get('model', view.space);
  return {
    'harvest-mode': harvestModeOf(model),
    instances: [...view.list('stray')]
      .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : a.instanceId < b.instanceId ? -1 : 1))
      .map(({ instanceId, machine, since, stopping = false }) => ({
        'instance-id': instanceId,
        machine,
        since,
        stopping,
      })),
  };
}
