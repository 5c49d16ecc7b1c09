import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';
import { subnet } from './spaces.ts';

export const subnets = {
  name: 'Subnets',
  versions: [5],
  on: 'model',
  methods: {
    AllZones: {
      params: shared.noParams,
      result: z.strictObject({
        results: listOf(
          z.strictObject({ name: z.string(), available: z.boolean(), error: shared.wireError.optional() }),
        ),
      }),
    },
    ListSubnets: {
      params: z.object({ 'space-tag': z.string().exactOptional(), zone: z.string().exactOptional() }),
      result: z.strictObject({ results: listOf(subnet) }),
    },
    SubnetsByCIDR: {
      params: z.object({ cidrs: z.array(z.string()) }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            subnets: listOf(subnet.extend({ id: z.string() })).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
