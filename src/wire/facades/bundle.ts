import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';

/** Bundles on the controller's side (facts: wire-facts §4.3); clients read and deploy them themselves. */
export const bundle = {
  name: 'Bundle',
  versions: [6],
  on: 'both',
  methods: {
    /** The model as YAML: a bundle, and what Juju wants in an overlay as a second document. */
    ExportBundle: {
      params: z.object({
        /** Options with values that nobody set, too. */
        'include-charm-defaults': z.boolean().optional(),
        /** The older names of bases beside them. */
        'include-series': z.boolean().optional(),
      }),
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
  },
} as const satisfies FacadeSpec;
