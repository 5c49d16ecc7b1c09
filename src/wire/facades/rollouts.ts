import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { application } from './application.ts';
import { requirementsChange } from './requirements.ts';
import { rollout } from './rollout.ts';
import * as shared from './shared.ts';

const named = z.object({ application: z.string() });
const setCharm = application.methods.SetCharm;

/** Extension of grigri: refreshes that upgrade units batch by batch (refresh.md#rolling). */
export const rollouts = {
  name: 'Rollouts',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** As Application.SetCharm, but that units take the charm when they are released. */
    Begin: {
      params: setCharm.params.extend({
        /** `2` or `25%`; '' = 1. */
        'max-unavailable': z.string(),
        /** `active`, or an expression about a unit; '' = active. */
        'wait-for': z.string(),
        'pause-after-canary': z.boolean(),
      }),
      result: setCharm.result,
    },
    Resume: { params: named, result: shared.noResult },
    Abort: { params: named, result: shared.noResult },
    Rollback: { params: named, result: z.strictObject({ requirements: requirementsChange.optional() }) },
    /** Where it stands; without a roll-out only the application's charm. */
    Get: {
      params: named,
      result: z.strictObject({ charm: z.string(), rollout: rollout.optional() }),
    },
  },
} as const satisfies FacadeSpec;
