import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { instanceTypes } from './instance-types.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

const endpoints = {
  endpoint: z.string().optional(),
  'identity-endpoint': z.string().optional(),
  'storage-endpoint': z.string().optional(),
};
const described = {
  type: z.string(),
  'auth-types': listOf(z.string()).optional(),
  ...endpoints,
  regions: listOf(z.strictObject({ name: z.string(), ...endpoints })).optional(),
};

export const cloudDetails = z.strictObject({
  ...described,
  config: mapOf(z.unknown()).optional(),
  'region-config': mapOf(mapOf(z.unknown())).optional(),
  'ca-certificates': listOf(z.string()).optional(),
  'skip-tls-verify': z.boolean().optional(),
  'host-cloud-region': z.string().optional(),
  'is-controller-cloud': z.boolean().optional(),
});

const givenEndpoints = {
  endpoint: z.string().exactOptional(),
  'identity-endpoint': z.string().exactOptional(),
  'storage-endpoint': z.string().exactOptional(),
};
const givenCloud = z.object({
  type: z.string(),
  'auth-types': z.array(z.string()).exactOptional(),
  ...givenEndpoints,
  regions: z.array(z.object({ name: z.string(), ...givenEndpoints })).exactOptional(),
  config: z.record(z.string(), z.unknown()).exactOptional(),
  'region-config': z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  'ca-certificates': z.array(z.string()).exactOptional(),
  'skip-tls-verify': z.boolean().exactOptional(),
  'host-cloud-region': z.string().exactOptional(),
});
const namedCloud = z.object({ name: z.string(), cloud: givenCloud, force: z.boolean().exactOptional() });

const credential = z.object({
  'auth-type': z.string(),
  attrs: z.record(z.string(), z.string()).exactOptional(),
});
/** Credentials with their tags: clients parse the tag of each result, which is the one that was sent. */
const taggedCredentials = z.array(z.object({ tag: z.string().min(1), credential }));

const updateResults = z.strictObject({
  results: listOf(
    z.strictObject({
      /** Tag as it was sent. */
      tag: z.string().min(1),
      models: listOf(
        z.strictObject({
          uuid: z.string(),
          name: z.string(),
          errors: listOf(shared.errorResult).optional(),
        }),
      ).optional(),
      error: shared.wireError.optional(),
    }),
  ),
});

export const cloud = {
  name: 'Cloud',
  versions: [7],
  on: 'controller',
  methods: {
    AddCloud: { params: namedCloud, result: shared.noResult },
    AddCredentials: {
      params: z.object({ credentials: taggedCredentials }),
      result: shared.errorResults,
    },
    /** Checks like UpdateCredentialsCheckModels, but writes nothing. */
    CheckCredentialsModels: {
      params: z.object({ credentials: taggedCredentials }),
      result: updateResults,
    },
    Cloud: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({ cloud: cloudDetails.optional(), error: shared.wireError.optional() }),
        ),
      }),
    },
    CloudInfo: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                ...described,
                users: listOf(
                  z.strictObject({ user: z.string(), 'display-name': z.string(), access: z.string() }),
                ),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    /** Clouds by tag, such as `cloud-aws`. */
    Clouds: { params: shared.noParams, result: z.strictObject({ clouds: mapOf(cloudDetails) }) },
    Credential: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                'auth-type': z.string(),
                attrs: mapOf(z.string()).optional(),
                redacted: listOf(z.string()).optional(),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    /** Returns the named credentials; no name = all of the caller. */
    CredentialContents: {
      params: z.object({
        credentials: z
          .array(z.object({ 'cloud-name': z.string(), 'credential-name': z.string() }))
          .exactOptional(),
        'include-secrets': z.boolean(),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                content: z.strictObject({
                  name: z.string(),
                  cloud: z.string(),
                  'auth-type': z.string(),
                  valid: z.boolean().optional(),
                  attrs: mapOf(z.string()).optional(),
                }),
                models: listOf(z.strictObject({ model: z.string(), access: z.string() })).optional(),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    InstanceTypes: {
      params: z.object({
        constraints: z.array(
          z.object({
            'cloud-tag': z.string(),
            region: z.string(),
            constraints: shared.constraints.exactOptional(),
          }),
        ),
      }),
      result: instanceTypes,
    },
    ListCloudInfo: {
      params: z.object({ 'user-tag': z.string(), all: z.boolean().exactOptional() }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z.strictObject({ ...described, 'user-access': z.string() }).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ModifyCloudAccess: {
      params: shared.accessChanges({ 'cloud-tag': z.string() }),
      result: shared.errorResults,
    },
    RemoveClouds: { params: shared.entities, result: shared.errorResults },
    RevokeCredentialsCheckModels: {
      params: z.object({ credentials: z.array(z.object({ tag: z.string(), force: z.boolean() })) }),
      result: shared.errorResults,
    },
    UpdateCloud: { params: z.object({ clouds: z.array(namedCloud) }), result: shared.errorResults },
    UpdateCredentialsCheckModels: {
      params: z.object({ credentials: taggedCredentials, force: z.boolean() }),
      result: updateResults,
    },
    UserCredentials: {
      params: z.object({
        'user-clouds': z.array(z.object({ 'user-tag': z.string(), 'cloud-tag': z.string() })),
      }),
      result: z.strictObject({ results: listOf(shared.stringsResult) }),
    },
  },
} as const satisfies FacadeSpec;
