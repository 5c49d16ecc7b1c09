import { z } from 'zod';
import { notSupported, notYet, type FacadeSpec } from '../facade-spec.ts';
import { directive } from './storage.ts';
import { pending, requirementsChange } from './requirements.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

/** Maximum wait in nanoseconds. */
const maxWait = z.int().exactOptional();
const applicationName = z.object({ application: z.string() });
const results = <T extends z.ZodType>(result: T) => z.strictObject({ results: listOf(result) });

const setting = z.strictObject({
  type: z.string(),
  description: z.string(),
  /** Source of the value: `user` = set, `default` = the charm's, `unset` = neither. */
  source: z.enum(['user', 'default', 'unset']),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
});

const relationData = z.strictObject({
  endpoint: z.string(),
  'related-endpoint': z.string(),
  'relation-id': z.int(),
  'cross-model': z.boolean(),
  ApplicationData: mapOf(z.unknown()),
  'unit-relation-data': mapOf(z.strictObject({ InScope: z.boolean(), UnitData: mapOf(z.unknown()) })),
});

/**
 * Extension of grigri: units without a placement may take machines that never had a unit; the result says which did.
 */
const reuseMachines = z.boolean().exactOptional();
const reused = listOf(z.strictObject({ unit: z.string(), machine: z.string() })).optional();

/** Extension of grigri: applications that wait now, or wait no more; absent when there are none. */
const requirements = requirementsChange.optional();

export const application = {
  name: 'Application',
  versions: [19, 20, 21, 22],
  on: 'model',
  notServed: {
    DeployFromRepository: notYet('deploying from Charmhub'),
    ScaleApplications: notSupported('scaling applications on a non-container model'),
    SetMetricCredentials: notYet('metering charms'),
  },
  methods: {
    AddRelation: {
      params: z.object({ endpoints: z.array(z.string()), 'via-cidrs': z.array(z.string()).exactOptional() }),
      result: z.strictObject({ endpoints: mapOf(shared.charmRelation), requirements }),
    },
    AddUnits: {
      params: z.object({
        application: z.string(),
        'num-units': z.int(),
        placement: z.array(shared.placement),
        policy: z.string().exactOptional(),
        'attach-storage': z.array(z.string()).exactOptional(),
        'reuse-machines': reuseMachines,
      }),
      result: z.strictObject({ units: listOf(z.string()), reused, requirements }),
    },
    ApplicationsInfo: {
      params: shared.entities,
      result: results(
        z.strictObject({
          error: shared.wireError.optional(),
          result: z
            .strictObject({
              tag: shared.tag,
              charm: z.string(),
              base: shared.baseResult,
              channel: z.string().optional(),
              constraints: shared.constraintsResult,
              principal: z.boolean(),
              exposed: z.boolean(),
              remote: z.boolean(),
              life: shared.life,
              'endpoint-bindings': mapOf(z.string()),
              'exposed-endpoints': mapOf(shared.exposedEndpointResult).optional(),
              /** Extension of grigri: what deploy --require and --after named, and what the application waits for. */
              require: listOf(z.string()).optional(),
              after: mapOf(z.string()).optional(),
              pending: pending.optional(),
            })
            .optional(),
        }),
      ),
    },
    CharmConfig: {
      params: z.object({ args: z.array(z.object({ application: z.string(), branch: z.string() })) }),
      result: z.strictObject({
        Results: listOf(z.strictObject({ config: mapOf(setting), error: shared.wireError.optional() })),
      }),
    },
    CharmRelations: {
      params: applicationName,
      result: z.strictObject({ 'charm-relations': listOf(z.string()) }),
    },
    Consume: {
      params: z.object({
        args: z.array(
          z.object({
            'source-model-tag': z.string(),
            'offer-uuid': z.string(),
            'offer-url': z.string(),
            'offer-name': z.string(),
            'application-description': z.string(),
            endpoints: z
              .array(
                z.object({
                  name: z.string(),
                  role: z.string(),
                  interface: z.string(),
                  limit: z.int(),
                }),
              )
              .exactOptional(),
            users: z.array(z.unknown()).exactOptional(),
            macaroon: z.unknown().optional(),
            'external-controller': z
              .object({
                'controller-tag': z.string(),
                'controller-alias': z.string(),
                addrs: z.array(z.string()),
                'ca-cert': z.string(),
              })
              .exactOptional(),
            'application-alias': z.string().exactOptional(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    Deploy: {
      params: z.object({
        applications: z.array(
          z.object({
            application: z.string(),
            'charm-url': z.string(),
            'charm-origin': shared.charmOrigin.exactOptional(),
            channel: z.string(),
            'num-units': z.int(),
            config: z.record(z.string(), z.string()).exactOptional(),
            /** YAML of option values, keyed by application. */
            'config-yaml': z.string(),
            constraints: shared.constraints,
            placement: z.array(shared.placement).exactOptional(),
            policy: z.string().exactOptional(),
            storage: z.record(z.string(), directive).exactOptional(),
            devices: z.record(z.string(), z.unknown()).exactOptional(),
            'attach-storage': z.array(z.string()).exactOptional(),
            'endpoint-bindings': z.record(z.string(), z.string()).exactOptional(),
            /** Pending ids by resource. */
            resources: z.record(z.string(), z.string()).exactOptional(),
            Force: z.boolean(),
            'reuse-machines': reuseMachines,
            /** Extension of grigri: endpoints that are required whatever the charm and the model say. */
            require: z.array(z.string()).exactOptional(),
            /** Extension of grigri: application → the health that it must have first, '' being `active`. */
            after: z.record(z.string(), z.string()).exactOptional(),
          }),
        ),
      }),
      result: results(z.strictObject({ error: shared.wireError.optional(), reused, requirements })),
    },
    DestroyApplication: {
      params: z.object({
        applications: z.array(
          z.object({
            'application-tag': z.string(),
            'destroy-storage': z.boolean().exactOptional(),
            force: z.boolean(),
            'max-wait': maxWait,
            'dry-run': z.boolean().exactOptional(),
          }),
        ),
      }),
      result: results(
        shared
          .removalResult({ 'destroyed-units': listOf(shared.entityResult).optional() })
          .extend({ requirements }),
      ),
    },
    DestroyConsumedApplications: {
      params: z.object({
        applications: z.array(
          z.object({
            'application-tag': z.string(),
            force: z.boolean().exactOptional(),
            'max-wait': maxWait,
          }),
        ),
      }),
      result: shared.errorResults,
    },
    DestroyRelation: {
      params: z.object({
        endpoints: z.array(z.string()).exactOptional(),
        'relation-id': z.int(),
        force: z.boolean().exactOptional(),
        'max-wait': maxWait,
      }),
      result: z.strictObject({ warnings: shared.warnings, requirements }),
    },
    DestroyUnit: {
      params: z.object({
        units: z.array(
          z.object({
            'unit-tag': z.string(),
            'destroy-storage': z.boolean().exactOptional(),
            force: z.boolean().exactOptional(),
            'max-wait': maxWait,
            'dry-run': z.boolean().exactOptional(),
          }),
        ),
      }),
      result: results(shared.removalResult({})),
    },
    Expose: {
      params: z.object({
        application: z.string(),
        'exposed-endpoints': z.record(z.string(), shared.exposedEndpoint).exactOptional(),
      }),
      result: shared.noResult,
    },
    Get: {
      params: z.object({ application: z.string(), branch: z.string() }),
      result: z.strictObject({
        application: z.string(),
        charm: z.string(),
        config: mapOf(setting),
        'application-config': mapOf(setting),
        constraints: shared.constraintsResult,
        base: shared.baseResult,
        channel: z.string(),
        'endpoint-bindings': mapOf(z.string()),
      }),
    },
    GetCharmURLOrigin: {
      params: z.object({ application: z.string(), branch: z.string() }),
      result: z.strictObject({
        url: z.string(),
        'charm-origin': shared.charmOriginResult,
        error: shared.wireError.optional(),
      }),
    },
    GetConfig: {
      params: shared.entities,
      result: z.strictObject({
        Results: listOf(z.strictObject({ config: mapOf(setting), error: shared.wireError.optional() })),
      }),
    },
    GetConstraints: {
      params: shared.entities,
      result: results(
        z.strictObject({ constraints: shared.constraintsResult, error: shared.wireError.optional() }),
      ),
    },
    Leader: {
      params: shared.entity,
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    MergeBindings: {
      params: z.object({
        args: z.array(
          z.object({
            'application-tag': z.string(),
            bindings: z.record(z.string(), z.string()),
            force: z.boolean(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    ResolveUnitErrors: {
      params: z.object({
        all: z.boolean().exactOptional(),
        retry: z.boolean().exactOptional(),
        tags: shared.entities.exactOptional(),
      }),
      result: shared.errorResults,
    },
    SetCharm: {
      params: z.object({
        application: z.string(),
        generation: z.string(),
        'charm-url': z.string(),
        'charm-origin': shared.charmOrigin.exactOptional(),
        channel: z.string(),
        'config-settings': z.record(z.string(), z.string()).exactOptional(),
        /** YAML of option values, keyed by application. */
        'config-settings-yaml': z.string().exactOptional(),
        force: z.boolean(),
        'force-units': z.boolean(),
        'force-base': z.boolean(),
        /** Pending ids by resource. */
        'resource-ids': z.record(z.string(), z.string()).exactOptional(),
        'storage-constraints': z.record(z.string(), directive).exactOptional(),
        'endpoint-bindings': z.record(z.string(), z.string()).exactOptional(),
      }),
      result: z.strictObject({ requirements }),
    },
    SetConfigs: {
      params: z.object({
        Args: z.array(
          z.object({
            application: z.string(),
            generation: z.string(),
            config: z.record(z.string(), z.string()),
            /** YAML of option values, keyed by application. */
            'config-yaml': z.string(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    SetConstraints: {
      params: z.object({ application: z.string(), constraints: shared.constraints }),
      result: shared.noResult,
    },
    Unexpose: {
      params: z.object({ application: z.string(), 'exposed-endpoints': z.array(z.string()) }),
      result: shared.noResult,
    },
    GetApplicationStorage: {
      since: 22,
      params: shared.entities,
      result: results(
        z.strictObject({
          /** Storage that new units get, by name; null beside an error. */
          'storage-constraints': mapOf(
            z.strictObject({ pool: z.string(), size: z.int(), count: z.int() }),
          ).nullable(),
          Error: shared.wireError.nullable(),
        }),
      ),
    },
    UpdateApplicationBase: {
      params: z.object({
        args: z.array(z.object({ tag: shared.entity, force: z.boolean(), channel: z.string() })),
      }),
      result: shared.errorResults,
    },
    UpdateApplicationStorage: {
      since: 22,
      params: z.object({
        'storage-updates': z.array(
          z.object({
            'application-tag': z.string(),
            'storage-constraints': z.record(z.string(), directive),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    SetRelationsSuspended: {
      params: z.object({
        args: z.array(z.object({ 'relation-id': z.int(), message: z.string(), suspended: z.boolean() })),
      }),
      result: shared.errorResults,
    },
    UnitsInfo: {
      params: shared.entities,
      result: results(
        z.strictObject({
          error: shared.wireError.optional(),
          result: z
            .strictObject({
              tag: shared.tag,
              'workload-version': z.string(),
              machine: z.string().optional(),
              'opened-ports': listOf(z.string()),
              'public-address': z.string().optional(),
              charm: z.string(),
              leader: z.boolean().optional(),
              life: shared.life.optional(),
              'relation-data': listOf(relationData).optional(),
              address: z.string().optional(),
              'provider-id': z.string().optional(),
              /** Extension of grigri: reason why the unit has no machine; absent when it has one. */
              waiting: z.string().optional(),
            })
            .optional(),
        }),
      ),
    },
    UnsetApplicationsConfig: {
      params: z.object({
        Args: z.array(
          z.object({ application: z.string(), branch: z.string(), options: z.array(z.string()) }),
        ),
      }),
      result: shared.errorResults,
    },
  },
} as const satisfies FacadeSpec;
