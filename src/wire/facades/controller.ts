import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { userModelList } from './model-manager.ts';
import { modelStatusMethod } from './model-status.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

export const controller = {
  name: 'Controller',
  versions: [11, 12],
  on: 'controller',
  methods: {
    AllModels: { params: shared.noParams, result: userModelList },
    ControllerAPIInfoForModels: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            addresses: listOf(z.string()),
            cacert: z.string(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ControllerConfig: {
      params: shared.noParams,
      result: z.strictObject({ config: mapOf(z.unknown()) }),
    },
    ControllerVersion: {
      params: shared.noParams,
      result: z.strictObject({ version: z.string(), 'git-commit': z.string() }),
    },
    DestroyController: {
      params: z.object({
        'destroy-models': z.boolean(),
        'destroy-storage': z.boolean().exactOptional(),
        force: z.boolean().exactOptional(),
        'max-wait': z.int().exactOptional(),
        'model-timeout': z.int().exactOptional(),
      }),
      result: z.strictObject({ warnings: shared.warnings }),
    },
    GetControllerAccess: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({ 'user-tag': z.string(), access: z.enum(['login', 'superuser']) })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    /** '' : users are the controller's own. */
    IdentityProviderURL: {
      params: shared.noParams,
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    ModelStatus: modelStatusMethod,
  },
} as const satisfies FacadeSpec;
