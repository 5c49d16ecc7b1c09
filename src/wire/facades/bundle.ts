import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

const planned = <A extends z.ZodType>(args: A) => ({
  params: z.object({
    /** Documents of the bundle; the first is the bundle, others are overlays. */
    yaml: z.string(),
    /** Origin of the bundle; ignored. */
    bundleURL: z.string(),
  }),
  result: z.strictObject({
    changes: listOf(
      z.strictObject({ id: z.string(), method: z.string(), args, requires: listOf(z.string()) }),
    ).optional(),
    /** All errors of the bundle. */
    errors: listOf(z.string()).optional(),
  }),
});

/** Bundles on the controller's side (wire.md#bundle-changes); grigri's own clients read and deploy them themselves. */
export const bundle = {
  name: 'Bundle',
  versions: [6],
  on: 'both',
  methods: {
    /** Exports the model as YAML: a bundle, with the parts that Juju wants in an overlay as a second document. */
    ExportBundle: {
      params: z.object({
        /** True to include options with default values. */
        'include-charm-defaults': z.boolean().optional(),
        /** True to include series, the older names of bases. */
        'include-series': z.boolean().optional(),
        /** Extension of grigri: a model without applications is an empty bundle instead of an error. */
        'allow-empty': z.boolean().optional(),
      }),
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    /** As GetChangesMapArgs, with the arguments of each change by position. */
    GetChanges: planned(listOf(z.unknown())),
    /**
     * Plans the changes for a client that does not plan itself and has uploaded its local charms. The plan is for an
     * empty model.
     */
    GetChangesMapArgs: planned(mapOf(z.unknown())),
  },
} as const satisfies FacadeSpec;
