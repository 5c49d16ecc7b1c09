/**
 * Shapes that several facades use (wire.md#shapes).
 *
 * Params are plain objects: decode.ts has mapped case, nulls and zero values before. Results are strict objects of
 * readonly parts: exactly what is sent, nothing more.
 */
import { z } from 'zod';

/** List in a result, or one that is only read. */
export const listOf = <T extends z.ZodType>(item: T) => z.array(item).readonly();
/** Map in a result. */
export const mapOf = <T extends z.ZodType>(item: T) => z.record(z.string(), item).readonly();

/** Time in RFC 3339. */
export const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
/** Version that Juju's clients can parse: `3.6.28`, `3.6.28.1`, `3.6-beta1`. */
export const version = z.string().regex(/^\d{1,9}\.\d{1,9}(\.|-[a-z]+)\d{1,9}(\.\d{1,9})?$/);
/** Tag of an entity, its kind and id: `machine-0`, `user-admin`. */
export const tag = z.string().regex(/^[a-z]+-./);
export const life = z.enum(['alive', 'dying', 'dead']);

export const noParams = z.object({});
/** Result `{}` of a method without an answer. */
export const noResult = z.strictObject({});
/** Methods of a watcher's facade: `Next` waits for news and ends with `stopped` when `Stop` is called. */
export const watcherMethods = <R extends z.ZodType>(news: R) =>
  ({
    Next: { params: noParams, result: news },
    Stop: { params: noParams, result: noResult },
  }) as const;

export const wireError = z.strictObject({
  message: z.string(),
  code: z.string(),
  info: mapOf(z.unknown()).optional(),
});
/** Grants and revocations of users' access to what `object` names; `action`: `grant` or `revoke`. */
export const accessChanges = <S extends z.ZodRawShape>(object: S) =>
  z.object({
    changes: z.array(z.object({ 'user-tag': z.string(), action: z.string(), access: z.string(), ...object })),
  });

export const errorResult = z.strictObject({ error: wireError.optional() });
/** Results in the order of the params. */
export const errorResults = z.strictObject({ results: listOf(errorResult) });

export const entity = z.object({ tag: z.string() });
export const entities = z.object({ entities: z.array(entity) });
export const entityResult = z.strictObject({ tag: tag });

/** Extension of grigri: what --force skips, beside Juju's answer; clients that do not know it ignore it. */
export const warnings = listOf(z.string()).optional();
/** Results in the order of the params. */
export const destroyResults = z.strictObject({
  results: listOf(z.strictObject({ error: wireError.optional(), warnings })),
});
/** Result of one removal and what goes with it; `more` are the fields beside storage. */
export const removalResult = <S extends z.ZodRawShape>(more: S) =>
  z.strictObject({
    error: wireError.optional(),
    warnings,
    info: z
      .strictObject({
        ...more,
        'destroyed-storage': listOf(entityResult).optional(),
        'detached-storage': listOf(entityResult).optional(),
      })
      .optional(),
  });

export const base = z.object({ name: z.string(), channel: z.string() });
export const baseResult = z.strictObject({ name: z.string(), channel: z.string() });

const size = z.int().nonnegative();
export const constraints = z.object({
  arch: z.string().exactOptional(),
  container: z.string().exactOptional(),
  cores: size.exactOptional(),
  'cpu-power': size.exactOptional(),
  mem: size.exactOptional(),
  'root-disk': size.exactOptional(),
  'root-disk-source': z.string().exactOptional(),
  tags: listOf(z.string()).exactOptional(),
  'instance-role': z.string().exactOptional(),
  'instance-type': z.string().exactOptional(),
  spaces: listOf(z.string()).exactOptional(),
  'virt-type': z.string().exactOptional(),
  zones: listOf(z.string()).exactOptional(),
  'allocate-public-ip': z.boolean().exactOptional(),
  'image-id': z.string().exactOptional(),
});
export const constraintsResult = z.strictObject({
  arch: z.string().optional(),
  container: z.string().optional(),
  cores: size.optional(),
  'cpu-power': size.optional(),
  mem: size.optional(),
  'root-disk': size.optional(),
  'root-disk-source': z.string().optional(),
  tags: listOf(z.string()).optional(),
  'instance-role': z.string().optional(),
  'instance-type': z.string().optional(),
  spaces: listOf(z.string()).optional(),
  'virt-type': z.string().optional(),
  zones: listOf(z.string()).optional(),
  'allocate-public-ip': z.boolean().optional(),
  'image-id': z.string().optional(),
});

export const placement = z.object({ scope: z.string(), directive: z.string() });

export const charmOrigin = z.object({
  source: z.string(),
  type: z.string(),
  id: z.string(),
  hash: z.string().exactOptional(),
  risk: z.string().exactOptional(),
  revision: z.int().exactOptional(),
  track: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  architecture: z.string().exactOptional(),
  base: base.exactOptional(),
  'instance-key': z.string().exactOptional(),
});
export const charmOriginResult = z.strictObject({
  source: z.string(),
  type: z.string(),
  id: z.string(),
  hash: z.string().optional(),
  risk: z.string().optional(),
  revision: z.int().optional(),
  track: z.string().optional(),
  branch: z.string().optional(),
  architecture: z.string().optional(),
  base: baseResult.optional(),
  'instance-key': z.string().optional(),
});

export const charmRelation = z.strictObject({
  name: z.string(),
  role: z.enum(['provider', 'requirer', 'peer']),
  interface: z.string(),
  optional: z.boolean(),
  limit: z.int(),
  scope: z.enum(['global', 'container']),
});

/** Profile of a charm (`lxd-profile.yaml`), or as it is on an instance. */
export const lxdProfile = z.strictObject({
  config: mapOf(z.string()),
  description: z.string(),
  devices: mapOf(mapOf(z.string())),
});

/** Status in FullStatus and in the history. */
export const detailedStatus = z.strictObject({
  status: z.string(),
  info: z.string(),
  data: mapOf(z.unknown()),
  since: time,
  kind: z.string(),
  version: z.string(),
  /** Life; '' while alive. */
  life: z.enum(['', 'alive', 'dying', 'dead']),
  err: wireError.optional(),
});
/** Status in results of ModelManager. */
export const entityStatus = z.strictObject({
  status: z.string(),
  info: z.string(),
  data: mapOf(z.unknown()).optional(),
  since: time,
});

export const exposedEndpoint = z.object({
  'expose-to-spaces': z.array(z.string()).exactOptional(),
  'expose-to-cidrs': z.array(z.string()).exactOptional(),
});
export const exposedEndpointResult = z.strictObject({
  'expose-to-spaces': listOf(z.string()).optional(),
  'expose-to-cidrs': listOf(z.string()).optional(),
});

export const stringsResult = z.strictObject({
  result: listOf(z.string()).optional(),
  error: wireError.optional(),
});
