import { z } from 'zod';
import { notSupported, notYet, type FacadeSpec } from '../facade-spec.ts';
import { modelGet } from './model-config.ts';
import { userModelList } from './model-manager.ts';
import { modelStatusMethod } from './model-status.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

export const controller = {
  name: 'Controller',
  versions: [11, 12],
  on: 'controller',
  notServed: {
    CloudSpec: notYet('telling a cloud with its credential'),
    ConfigSet: notYet('changing the controller configuration'),
    DashboardConnectionInfo: notYet('the dashboard'),
    GetCloudSpec: notYet('telling a cloud with its credential'),
    HostedModelConfigs: notYet('telling a cloud with its credential'),
    InitiateMigration: notYet('migrating models'),
    ModifyControllerAccess: notYet('granting access to the controller'),
    MongoVersion: notSupported('a MongoDB version'),
    WatchAllModelSummaries: notYet('watching models'),
    WatchAllModels: notYet('watching models'),
    WatchCloudSpecsChanges: notYet('telling a cloud with its credential'),
    WatchModelSummaries: notYet('watching models'),
  },
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
      result: z.strictObject({ version: shared.version, 'git-commit': z.string() }),
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
              .strictObject({ 'user-tag': shared.tag, access: z.enum(['login', 'superuser']) })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    /** URL of the identity provider; always '': users are the controller's own. */
    IdentityProviderURL: {
      params: shared.noParams,
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    /** Blocked models; always empty: this controller has no command blocks. */
    ListBlockedModels: {
      params: shared.noParams,
      result: z.strictObject({ models: listOf(z.never()) }),
    },
    /** Config of the model `controller`. */
    ModelConfig: { until: 11, ...modelGet },
    ModelStatus: modelStatusMethod,
    RemoveBlocks: { params: z.object({ all: z.boolean() }), result: shared.noResult },
  },
} as const satisfies FacadeSpec;
