import { z } from 'zod';
import { notSupported, type FacadeSpec } from '../facade-spec.ts';
import { cloudSpec } from './cloud-spec.ts';
import { modelGet } from './model-config.ts';
import { userModelList } from './model-manager.ts';
import { modelStatusMethod } from './model-status.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';
import { notifyWatchResults, watcherId } from './watchers.ts';

export const controller = {
  name: 'Controller',
  versions: [11, 12],
  on: 'controller',
  notServed: {
    GetCloudSpec: notSupported('a model tag as an object (CloudSpec takes it as text) is'),
    MongoVersion: notSupported('a MongoDB version'),
  },
  methods: {
    AllModels: { params: shared.noParams, result: userModelList },
    /** Clouds of models, with the secrets of their credentials. */
    CloudSpec: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(z.strictObject({ result: cloudSpec.optional(), error: shared.wireError.optional() })),
      }),
    },
    /** Changes settings of the controller (controller-settings.md#changeable). */
    ConfigSet: {
      params: z.object({ config: z.record(z.string(), z.unknown()) }),
      result: shared.noResult,
    },
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
    /** Place of the dashboard's web server, to be reached by ssh; `error` when none is deployed. */
    DashboardConnectionInfo: {
      params: shared.noParams,
      result: z.strictObject({
        'proxy-connection': z.null(),
        'ssh-connection': z
          .strictObject({
            model: z.string().optional(),
            /** Unit through which ssh reaches the server. */
            entity: z.string().optional(),
            host: z.string(),
            port: z.string(),
          })
          .nullable(),
        error: shared.wireError.optional(),
      }),
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
              .strictObject({ 'user-tag': shared.tag, access: z.enum(['', 'login', 'superuser']) })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    /** Configuration and cloud of each hosted model, with secrets. */
    HostedModelConfigs: {
      params: shared.noParams,
      result: z.strictObject({
        models: listOf(
          z.strictObject({
            name: z.string(),
            owner: shared.tag,
            config: mapOf(z.unknown()).optional(),
            'cloud-spec': cloudSpec.optional(),
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
    /** Begins migrations of models to other controllers; with `dry-run` they are only checked (migration.md#phases). */
    InitiateMigration: {
      params: z.object({
        specs: z.array(
          z.object({
            'model-tag': z.string(),
            'target-info': z.object({
              'controller-tag': z.string(),
              'controller-alias': z.string().exactOptional(),
              addrs: z.array(z.string()),
              'ca-cert': z.string(),
              'auth-tag': z.string(),
              password: z.string().exactOptional(),
              /** JSON of a list of macaroons with their discharges. */
              macaroons: z.string().exactOptional(),
              token: z.string().exactOptional(),
              'skip-user-checks': z.boolean().exactOptional(),
            }),
          }),
        ),
        'dry-run': z.boolean().exactOptional(),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            'model-tag': shared.tag,
            /** `<model uuid>:<attempt>`; '' for a check that found nothing. */
            'migration-id': z.string(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ListBlockedModels: {
      params: shared.noParams,
      result: z.strictObject({
        models: listOf(
          z.strictObject({
            name: z.string(),
            'model-uuid': z.string(),
            'owner-tag': shared.tag,
            /** Types of the model's blocks. */
            blocks: listOf(z.string()),
          }),
        ),
      }),
    },
    /** Config of the model `controller`. */
    ModelConfig: { until: 11, ...modelGet },
    ModelStatus: modelStatusMethod,
    ModifyControllerAccess: { params: shared.accessChanges({}), result: shared.errorResults },
    /** Removes the blocks of all models; `all` has to be true. */
    RemoveBlocks: { params: z.object({ all: z.boolean() }), result: shared.noResult },
    /** Creates a ModelSummaryWatcher of every model. */
    WatchAllModelSummaries: { params: shared.noParams, result: watcherId },
    /** Creates an AllModelWatcher. */
    WatchAllModels: { params: shared.noParams, result: watcherId },
    /** Creates a NotifyWatcher of each model's cloud and credential. */
    WatchCloudSpecsChanges: { params: shared.entities, result: notifyWatchResults },
    /** Creates a ModelSummaryWatcher of the models that are shared with the caller. */
    WatchModelSummaries: { params: shared.noParams, result: watcherId },
  },
} as const satisfies FacadeSpec;
