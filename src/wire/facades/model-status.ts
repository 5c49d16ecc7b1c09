/** Result of Controller.ModelStatus and ModelManager.ModelStatus. */
import { z } from 'zod';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const modelMachine = z.strictObject({
  id: z.string(),
  'instance-id': z.string().optional(),
  'display-name': z.string().optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  'has-vote': z.boolean().optional(),
  'wants-vote': z.boolean().optional(),
  hardware: z
    .strictObject({
      arch: z.string().optional(),
      mem: z.int().optional(),
      'root-disk': z.int().optional(),
      cores: z.int().optional(),
      'cpu-power': z.int().optional(),
      tags: listOf(z.string()).optional(),
      'availability-zone': z.string().optional(),
      'virt-type': z.string().optional(),
    })
    .optional(),
});

/** Tag of the model; '' beside an error, as in Juju. */
const tagUnlessFailed = z.union([shared.tag, z.literal('')]);

export const modelStatus = z.strictObject({
  'model-tag': tagUnlessFailed,
  life: z.enum(['', 'alive', 'dying', 'dead']),
  type: z.string(),
  'hosted-machine-count': z.int(),
  'application-count': z.int(),
  'unit-count': z.int(),
  'owner-tag': tagUnlessFailed,
  applications: listOf(z.strictObject({ name: z.string() })).optional(),
  machines: listOf(modelMachine).optional(),
  error: shared.wireError.optional(),
});

export const modelStatusMethod = {
  params: shared.entities,
  result: z.strictObject({ models: listOf(modelStatus) }),
};
