import { z } from 'zod';
import { notYet, type FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

const charmMeta = z.strictObject({
  name: z.string(),
  summary: z.string(),
  description: z.string(),
  subordinate: z.boolean(),
  provides: mapOf(shared.charmRelation).optional(),
  requires: mapOf(shared.charmRelation).optional(),
  peers: mapOf(shared.charmRelation).optional(),
  'extra-bindings': mapOf(z.string()).optional(),
  tags: listOf(z.string()).optional(),
  terms: listOf(z.string()).optional(),
  series: listOf(z.string()).optional(),
  storage: mapOf(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      type: z.string(),
      shared: z.boolean(),
      'read-only': z.boolean(),
      'count-min': z.int(),
      'count-max': z.int(),
      'minimum-size': z.int(),
      location: z.string().optional(),
      properties: listOf(z.string()).optional(),
    }),
  ).optional(),
  resources: mapOf(
    z.strictObject({ name: z.string(), type: z.string(), path: z.string(), description: z.string() }),
  ).optional(),
  'min-juju-version': shared.version,
});

export const charm = z.strictObject({
  url: z.string(),
  revision: z.int(),
  config: mapOf(
    z.strictObject({
      type: z.string(),
      description: z.string().optional(),
      default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    }),
  ),
  meta: charmMeta,
  actions: z
    .strictObject({
      specs: mapOf(z.strictObject({ description: z.string(), params: mapOf(z.unknown()) })).optional(),
    })
    .optional(),
  'lxd-profile': shared.lxdProfile.optional(),
  /** Extension of grigri: SHA-256 of the archive in hex, by which a client knows that it need not be sent again. */
  sha256: z.string().optional(),
  /** Extension of grigri: version in the uploader's version control; absent = none. */
  version: z.string().optional(),
  /** Extension of grigri: endpoints that the charm declares not to be optional. */
  required: listOf(z.string()).optional(),
  manifest: z
    .strictObject({
      bases: listOf(
        z.strictObject({
          name: z.string(),
          channel: z.string(),
          architectures: listOf(z.string()).optional(),
        }),
      ).optional(),
    })
    .optional(),
});
export type Charm = z.output<typeof charm>;

const resolved = {
  url: z.string(),
  'charm-origin': shared.charmOriginResult,
  error: shared.wireError.optional(),
};

export const charms = {
  name: 'Charms',
  versions: [6, 7],
  on: 'model',
  notServed: {
    AddCharm: notYet('adding charms from Charmhub'),
    GetDownloadInfos: notYet('downloading from Charmhub'),
    ListCharmResources: notYet('listing the resources of Charmhub'),
  },
  methods: {
    CharmInfo: { params: z.object({ url: z.string() }), result: charm },
    CheckCharmPlacement: {
      params: z.object({
        placements: z.array(z.object({ application: z.string(), 'charm-url': z.string() })),
      }),
      result: shared.errorResults,
    },
    IsMetered: { params: z.object({ url: z.string() }), result: z.strictObject({ metered: z.boolean() }) },
    List: {
      params: z.object({ names: z.array(z.string()) }),
      result: z.strictObject({ 'charm-urls': listOf(z.string()) }),
    },
    ResolveCharms: {
      params: z.object({
        resolve: z.array(
          z.object({
            reference: z.string(),
            'charm-origin': shared.charmOrigin,
            'switch-charm': z.boolean().exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        Results: listOf(z.strictObject({ ...resolved, 'supported-bases': listOf(shared.baseResult) })),
      }),
      older: [
        {
          until: 6,
          result: z.strictObject({
            Results: listOf(z.strictObject({ ...resolved, 'supported-series': listOf(z.string()) })),
          }),
        },
      ],
    },
  },
} as const satisfies FacadeSpec;
