import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** A subnet; `space-tag` names its space. */
export const subnet = z.strictObject({
  cidr: z.string(),
  'provider-id': z.string().optional(),
  'provider-network-id': z.string().optional(),
  'provider-space-id': z.string().optional(),
  'vlan-tag': z.int(),
  life: shared.life,
  'space-tag': shared.tag,
  zones: listOf(z.string()),
  status: z.string().optional(),
});

const space = z.strictObject({
  id: z.string(),
  name: z.string(),
  subnets: listOf(subnet),
  error: shared.wireError.optional(),
});

export const spaces = {
  name: 'Spaces',
  versions: [6],
  on: 'model',
  methods: {
    CreateSpaces: {
      params: z.object({
        spaces: z.array(
          z.object({
            cidrs: z.array(z.string()),
            'space-tag': z.string(),
            public: z.boolean(),
            'provider-id': z.string().exactOptional(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    ListSpaces: { params: shared.noParams, result: z.strictObject({ results: listOf(space) }) },
    MoveSubnets: {
      params: z.object({
        args: z.array(
          z.object({ subnets: z.array(z.string()), 'space-tag': z.string(), force: z.boolean() }),
        ),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            'moved-subnets': listOf(
              z.strictObject({ subnet: shared.tag, 'old-space': shared.tag, cidr: z.string() }),
            ).optional(),
            /** Tag of the space; '' with an error. */
            'new-space': z.string(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ReloadSpaces: { params: shared.noParams, result: shared.noResult },
    RemoveSpace: {
      params: z.object({
        'space-param': z.array(
          z.object({
            space: shared.entity,
            force: z.boolean().exactOptional(),
            'dry-run': z.boolean().exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            constraints: listOf(shared.entityResult).optional(),
            bindings: listOf(shared.entityResult).optional(),
            'controller-settings': listOf(z.string()).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    RenameSpace: {
      params: z.object({
        changes: z.array(z.object({ 'from-space-tag': z.string(), 'to-space-tag': z.string() })),
      }),
      result: shared.errorResults,
    },
    ShowSpace: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            space,
            applications: listOf(z.string()),
            'machine-count': z.int(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
