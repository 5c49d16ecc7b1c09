import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';

export const modelUpgrader = {
  name: 'ModelUpgrader',
  versions: [1],
  on: 'controller',
  methods: {
    AbortModelUpgrade: { params: z.object({ 'model-tag': z.string() }), result: shared.noResult },
    /** Upgrades a model; `target-version` 0.0.0 is the controller's own (controller-settings.md#models). */
    UpgradeModel: {
      params: z.object({
        'model-tag': z.string(),
        'target-version': z.string(),
        'agent-stream': z.string().exactOptional(),
        'ignore-agent-versions': z.boolean().exactOptional(),
        'dry-run': z.boolean().exactOptional(),
      }),
      result: z.strictObject({ 'chosen-version': shared.version, error: shared.wireError.optional() }),
    },
  },
} as const satisfies FacadeSpec;
