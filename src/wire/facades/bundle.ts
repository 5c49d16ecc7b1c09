import { z } from 'zod';
import { notYet, type FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

/** Bundles on the controller's side (wire.md#bundle-changes); our own clients read and deploy them themselves. */
export const bundle = {
  name: 'Bundle',
  versions: [6],
  on: 'both',
  notServed: {
    GetChanges: notYet('Bundle.GetChanges (GetChangesMapArgs tells the same by name)'),
  },
  methods: {
    /** The model as YAML: a bundle, and what Juju wants in an overlay as a second document. */
    ExportBundle: {
      params: z.object({
        /** Options with values that nobody set, too. */
        'include-charm-defaults': z.boolean().optional(),
        /** The older names of bases beside them. */
        'include-series': z.boolean().optional(),
        /** Ours alone: a model without applications is a bundle without any, instead of an error. */
        'allow-empty': z.boolean().optional(),
      }),
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    /** What a client has to do that does not plan itself: it uploads local charms first. For a model that has nothing. */
    GetChangesMapArgs: {
      params: z.object({
        /** The bundle's documents; the first is the bundle, others are overlays. */
        yaml: z.string(),
        /** Where it is from; not looked at. */
        bundleURL: z.string(),
      }),
      result: z.strictObject({
        changes: listOf(
          z.strictObject({
            id: z.string(),
            method: z.string(),
            args: mapOf(z.unknown()),
            requires: listOf(z.string()),
          }),
        ).optional(),
        /** All that is wrong with it. */
        errors: listOf(z.string()).optional(),
      }),
    },
  },
} as const satisfies FacadeSpec;
