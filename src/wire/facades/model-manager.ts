import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { modelMachine, modelStatusMethod } from './model-status.ts';
import { secretBackendResult } from './secret-backends.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

const sla = z.strictObject({ level: z.string(), owner: z.string() });
/** Time of the last connection; null: never. */
const lastConnection = shared.time.nullable();

/** Last migration of a model. */
const migration = z.strictObject({ status: z.string(), start: shared.time, end: shared.time.optional() });

/** A user's access to a model. */
export const modelUser = z.strictObject({
  'model-tag': shared.tag,
  user: z.string(),
  'display-name': z.string(),
  'last-connection': lastConnection,
  access: z.enum(['read', 'write', 'admin']),
});

export const modelInfo = z.strictObject({
  name: z.string(),
  type: z.string(),
  uuid: z.string(),
  'controller-uuid': z.string(),
  'is-controller': z.boolean(),
  'provider-type': z.string().optional(),
  'cloud-tag': shared.tag,
  'cloud-region': z.string().optional(),
  'cloud-credential-tag': shared.tag.optional(),
  'cloud-credential-validity': z.boolean().optional(),
  'owner-tag': shared.tag,
  life: shared.life,
  status: shared.entityStatus,
  users: listOf(modelUser),
  machines: listOf(modelMachine),
  'secret-backends': listOf(secretBackendResult),
  migration: migration.optional(),
  sla,
  'agent-version': shared.version,
  'supported-features': listOf(
    z.strictObject({ name: z.string(), description: z.string(), version: z.string().optional() }),
  ).optional(),
});
export type ModelInfo = z.output<typeof modelInfo>;
const defaultSeries = { 'default-series': z.string() };
/** Model info until version 9. */
export const modelInfo9 = modelInfo.extend({ ...defaultSeries, 'default-base': z.string() });

const modelSummary = z.strictObject({
  name: z.string(),
  uuid: z.string(),
  type: z.string(),
  'provider-type': z.string().optional(),
  'cloud-tag': shared.tag,
  'cloud-region': z.string().optional(),
  'cloud-credential-tag': shared.tag.optional(),
  'owner-tag': shared.tag,
  'controller-uuid': z.string(),
  'is-controller': z.boolean(),
  life: shared.life,
  status: shared.entityStatus,
  'user-access': z.string(),
  'last-connection': lastConnection,
  migration: migration.optional(),
  counts: listOf(z.strictObject({ entity: z.string(), count: z.int() })),
  sla,
  'agent-version': shared.version,
});

const results = <T extends z.ZodType>(result: T) =>
  z.strictObject({
    results: listOf(z.strictObject({ result: result.optional(), error: shared.wireError.optional() })),
  });

const userModel = z.strictObject({
  model: z.strictObject({
    name: z.string(),
    uuid: z.string(),
    type: z.string(),
    'owner-tag': shared.tag,
  }),
  'last-connection': lastConnection,
});
export const userModelList = z.strictObject({ 'user-models': listOf(userModel) });

/** Scope of a default: without a cloud the controller's own is meant; without a region, all of the cloud's regions. */
const defaultsOf = {
  'cloud-tag': z.string().exactOptional(),
  'cloud-region': z.string().exactOptional(),
};

export const modelManager = {
  name: 'ModelManager',
  versions: [9, 10],
  on: 'controller',
  methods: {
    ChangeModelCredential: {
      params: z.object({
        'model-credentials': z.array(z.object({ 'model-tag': z.string(), 'credential-tag': z.string() })),
      }),
      result: shared.errorResults,
    },
    CreateModel: {
      params: z.object({
        name: z.string(),
        'owner-tag': z.string(),
        config: z.record(z.string(), z.unknown()).exactOptional(),
        'cloud-tag': z.string().exactOptional(),
        region: z.string().exactOptional(),
        credential: z.string().exactOptional(),
      }),
      result: modelInfo,
      older: [{ until: 9, result: modelInfo9 }],
    },
    DestroyModels: {
      params: z.object({
        models: z.array(
          z.object({
            'model-tag': z.string(),
            'destroy-storage': z.boolean().exactOptional(),
            force: z.boolean().exactOptional(),
            'max-wait': z.int().exactOptional(),
            timeout: z.int().exactOptional(),
          }),
        ),
      }),
      result: shared.destroyResults,
    },
    /** Models as YAML, without secrets (backups.md#model-dumps); `simplified` leaves out what changes by itself. */
    DumpModels: {
      params: z.object({ entities: z.array(shared.entity), simplified: z.boolean() }),
      result: z.strictObject({
        results: listOf(z.strictObject({ result: z.string(), error: shared.wireError.optional() })),
      }),
    },
    /** The documents of models by kind, without secrets. */
    DumpModelsDB: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(z.strictObject({ result: mapOf(z.unknown()), error: shared.wireError.optional() })),
      }),
    },
    ListModelSummaries: {
      params: z.object({ 'user-tag': z.string(), all: z.boolean().exactOptional() }),
      result: results(modelSummary),
      older: [{ until: 9, result: results(modelSummary.extend(defaultSeries)) }],
    },
    ListModels: { params: shared.entity, result: userModelList },
    ModelDefaultsForClouds: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            /** Config; null beside an error. */
            config: mapOf(
              z.strictObject({
                default: z.unknown().optional(),
                controller: z.unknown().optional(),
                regions: listOf(z.strictObject({ 'region-name': z.string(), value: z.unknown() })).optional(),
              }),
            ).nullable(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ModelInfo: {
      params: shared.entities,
      result: results(modelInfo),
      older: [{ until: 9, result: results(modelInfo9) }],
    },
    ModelStatus: modelStatusMethod,
    ModifyModelAccess: {
      params: shared.accessChanges({ 'model-tag': z.string() }),
      result: shared.errorResults,
    },
    SetModelDefaults: {
      params: z.object({
        config: z.array(z.object({ ...defaultsOf, config: z.record(z.string(), z.unknown()) })),
      }),
      result: shared.errorResults,
    },
    UnsetModelDefaults: {
      params: z.object({ keys: z.array(z.object({ ...defaultsOf, keys: z.array(z.string()) })) }),
      result: shared.errorResults,
    },
  },
} as const satisfies FacadeSpec;
