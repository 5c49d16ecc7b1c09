/**
 * Requests of a controller whose models consume offers to the controller that has them (offers.md#between-controllers).
 * The caller logs in as anonymous: every item brings the macaroons that allow it.
 */
import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';
import { stringsWatchResult } from './strings-watcher.ts';
import { notifyWatchResults } from './watchers.ts';

/** Members of every item: a macaroon with its discharges. */
const proof = { macaroons: z.unknown(), 'bakery-version': z.int().exactOptional() };
const ofRelation = z.object({ args: z.array(z.object({ 'relation-token': z.string(), ...proof })) });
const settings = z.record(z.string(), z.unknown());

/** News of one side of a relation: its present state, with units that changed and numbers of those that left. */
const relationChange = z.strictObject({
  'relation-token': z.string(),
  'application-token': z.string(),
  life: shared.life,
  'force-cleanup': z.boolean().optional(),
  /** Number of units in scope. */
  'unit-count': z.int(),
  suspended: z.boolean().optional(),
  'suspended-reason': z.string().optional(),
  'application-settings': mapOf(z.unknown()).optional(),
  'changed-units': listOf(
    z.strictObject({ 'unit-id': z.int(), settings: mapOf(z.unknown()).optional() }),
  ).optional(),
  'departed-units': listOf(z.int()).optional(),
});
export type RelationChange = z.output<typeof relationChange>;

const noted = <S extends z.ZodType>(changes: S) =>
  z.strictObject({
    /** Id of the watcher; '' beside an error, and in answers of Next. */
    'watcher-id': z.string(),
    changes: changes.optional(),
    error: shared.wireError.optional(),
  });
const relationNews = noted(relationChange);
const suspensionNews = noted(
  listOf(
    z.strictObject({
      key: z.string(),
      life: shared.life,
      suspended: z.boolean(),
      'suspended-reason': z.string(),
    }),
  ),
);
const offerNews = noted(listOf(z.strictObject({ 'offer-name': z.string(), status: shared.entityStatus })));
const secretNews = noted(listOf(z.strictObject({ uri: z.string(), revision: z.int() })));
const all = <S extends z.ZodType>(result: S) => z.strictObject({ results: listOf(result) });

export const crossModelRelations = {
  name: 'CrossModelRelations',
  versions: [2, 3],
  on: 'model',
  methods: {
    PublishIngressNetworkChanges: {
      params: z.object({
        changes: z.array(
          z.object({
            'relation-token': z.string(),
            networks: z.array(z.string()),
            'ingress-required': z.boolean(),
            ...proof,
          }),
        ),
      }),
      result: shared.errorResults,
    },
    PublishRelationChanges: {
      params: z.object({
        changes: z.array(
          z.object({
            'relation-token': z.string(),
            'application-token': z.string(),
            life: z.string(),
            'force-cleanup': z.boolean().exactOptional(),
            'unit-count': z.int(),
            suspended: z.boolean().exactOptional(),
            'suspended-reason': z.string(),
            'application-settings': settings.exactOptional(),
            'changed-units': z.array(z.object({ 'unit-id': z.int(), settings: settings.exactOptional() })),
            'departed-units': z.array(z.int()),
            ...proof,
          }),
        ),
      }),
      result: shared.errorResults,
    },
    RegisterRemoteRelations: {
      params: z.object({
        relations: z.array(
          z.object({
            'application-token': z.string(),
            /** The consuming model. */
            'source-model-tag': z.string(),
            'relation-token': z.string(),
            /** The consuming application's endpoint. */
            'remote-endpoint': z.object({
              name: z.string(),
              role: z.string(),
              interface: z.string(),
              limit: z.int(),
            }),
            'offer-uuid': z.string(),
            /** The endpoint's name in the offer. */
            'local-endpoint-name': z.string(),
            'consume-version': z.int().exactOptional(),
            ...proof,
          }),
        ),
      }),
      result: all(
        z.strictObject({
          result: z
            .strictObject({
              /** Token of the offer, by which its side identifies itself. */
              'relation-token': z.string(),
              /** Macaroon of the relation, for all later requests about it. */
              macaroon: z.unknown(),
            })
            .optional(),
          error: shared.wireError.optional(),
        }),
      ),
    },
    WatchConsumedSecretsChanges: {
      params: z.object({
        args: z.array(z.object({ 'application-token': z.string(), 'relation-token': z.string(), ...proof })),
      }),
      result: all(secretNews),
    },
    WatchEgressAddressesForRelations: { params: ofRelation, result: all(stringsWatchResult) },
    WatchOfferStatus: {
      params: z.object({ args: z.array(z.object({ 'offer-uuid': z.string(), ...proof })) }),
      result: all(offerNews),
    },
    WatchRelationChanges: { params: ofRelation, result: all(relationNews) },
    WatchRelationsSuspendedStatus: { params: ofRelation, result: all(suspensionNews) },
  },
} as const satisfies FacadeSpec;

/** Watcher of what the offering side of a relation tells: WatchRelationChanges. */
export const remoteRelationWatcher = {
  name: 'RemoteRelationWatcher',
  versions: [1],
  on: 'model',
  methods: shared.watcherMethods(relationNews),
} as const satisfies FacadeSpec;

/** Watcher of the life and suspension of a relation: WatchRelationsSuspendedStatus. */
export const relationStatusWatcher = {
  name: 'RelationStatusWatcher',
  versions: [1],
  on: 'model',
  methods: shared.watcherMethods(suspensionNews),
} as const satisfies FacadeSpec;

/** Watcher of the status of an offered application: WatchOfferStatus. */
export const offerStatusWatcher = {
  name: 'OfferStatusWatcher',
  versions: [1],
  on: 'model',
  methods: shared.watcherMethods(offerNews),
} as const satisfies FacadeSpec;

/** Watcher of the secrets that a consuming application reads: WatchConsumedSecretsChanges. */
export const secretsRevisionWatcher = {
  name: 'SecretsRevisionWatcher',
  versions: [1],
  on: 'model',
  methods: shared.watcherMethods(secretNews),
} as const satisfies FacadeSpec;

/** Addresses and CA certificate of the controller, for controllers that know it. */
export const crossController = {
  name: 'CrossController',
  versions: [1],
  on: 'controller',
  methods: {
    ControllerInfo: {
      params: shared.noParams,
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
    WatchControllerInfo: { params: shared.noParams, result: notifyWatchResults },
  },
} as const satisfies FacadeSpec;
