import { z } from 'zod';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Types of instances that a cloud starts, for each constraints that were asked about. Sizes in MiB. */
export const instanceTypes = z.strictObject({
  results: listOf(
    z.strictObject({
      'instance-types': listOf(
        z.strictObject({
          name: z.string(),
          arches: listOf(z.string()),
          'cpu-cores': z.int().nonnegative(),
          memory: z.int().nonnegative(),
          'root-disk': z.int().nonnegative().optional(),
          'virt-type': z.string().optional(),
          cost: z.int().nonnegative().optional(),
        }),
      ).optional(),
      'cost-unit': z.string().optional(),
      'cost-currency': z.string().optional(),
      'cost-divisor': z.int().nonnegative().optional(),
      error: shared.wireError.optional(),
    }),
  ),
});
