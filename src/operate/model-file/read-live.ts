import { allOk, call, only, type ResultOf } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { isLevel, type LevelOf } from '../../core/access/levels.ts';
import { constraintsFromWire } from '../../core/constraints.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { FilePool } from '../../core/model-file/model-file.ts';
import { ownedKey } from '../../core/model-file/owned.ts';
import { settingsOfNoFile } from '../../core/model-file/parse-model-file.ts';
import { isFormerName } from '../../core/model/default-series.ts';
import type { LiveModel, LiveSecret } from '../../core/model-file/plan.ts';
import type { ModelConfigValue } from '../../core/model/config.ts';
import { modelConfigSchema } from '../../core/model/config-schema.ts';
import { modelTag, parseTag } from '../../wire/tags.ts';
import type { PlanMeans } from '../bundle/bundle-parts.ts';
import { readModel } from '../bundle/read-model.ts';
import type { ModelSession } from '../sessions.ts';

/** The model as a file is compared with it, at a revision that it had before it was read. */
export interface ReadLive {
  readonly live: LiveModel;
  readonly revision: number;
}

/**
 * Returns the model, and what the file of this name made in it. `withChecksums`: secrets whose contents are compared,
 * which only the model's admins can.
 */
export async function readLive(
  { session, openController }: Pick<PlanMeans, 'session' | 'openController'>,
  file: string,
  withChecksums: readonly string[] = [],
): Promise<ReadLive> {
  const { connection } = session;
  const { revision, owned } = await call(connection, 'ModelFiles', 'Owned', { file });
  const [bundle, { config }, constraints, access, secrets, storagePools] = await Promise.all([
    readModel(connection),
    call(connection, 'ModelConfig', 'ModelGet', {}),
    call(connection, 'ModelConfig', 'GetModelConstraints', {}),
    readAccess(session, openController),
    readSecrets(session, withChecksums),
    readPools(connection),
  ]);
  const live = {
    bundle,
    settings: settingsIn(config),
    constraints: constraintsFromWire(constraints.constraints),
    access,
    secrets,
    storagePools,
    owned: new Set(owned.map(ownedKey)),
  };
  return { live, revision };
}

/** What was set for the model, and may be set by a file, under its present name. */
export function settingsIn(
  config: ResultOf<'ModelConfig', 'ModelGet'>['config'],
): Record<string, ModelConfigValue> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, { value, source }]) => {
      const schema = Object.hasOwn(modelConfigSchema, name) ? modelConfigSchema[name] : undefined;
      const isSet = source === 'model' && !schema?.immutable;
      return isSet && !settingsOfNoFile.has(name) && !isFormerName(name)
        ? [[name, value as ModelConfigValue]]
        : [];
    }),
  );
}

/** Users of the model, of which only its admins see all. */
async function readAccess(
  { controller, modelUuid }: ModelSession,
  openController: PlanMeans['openController'],
): Promise<Record<string, LevelOf<'model'>>> {
  const { connection } = await openController(controller);
  const { results } = await call(connection, 'ModelManager', 'ModelInfo', {
    entities: [{ tag: modelTag(modelUuid) }],
  });
  const users = only(results).result?.users ?? [];
  return Object.fromEntries(
    users.flatMap(({ user, access }) => (isLevel('model', access) ? [[user, access]] : [])),
  );
}

/** Secrets of users, of which each has a name. */
async function readSecrets(
  { connection, modelUuid }: ModelSession,
  withChecksums: readonly string[],
): Promise<Record<string, LiveSecret>> {
  const owner = { 'owner-tag': modelTag(modelUuid) };
  const list = (show: boolean, filter: object) =>
    call(connection, 'Secrets', 'ListSecrets', { 'show-secrets': show, filter: { ...owner, ...filter } });
  const { results } = await list(false, {});
  const checksums = new Map<string, string>();
  const names = new Set(results.map(({ label }) => label));
  for (const label of withChecksums.filter((name) => names.has(name)))
    for (const found of (await compared(label, list(true, { label }))).results)
      checksums.set(label, found['latest-revision-checksum']);
  return Object.fromEntries(
    results.flatMap(({ label, description = '', access }): [string, LiveSecret][] => {
      if (label === undefined) return [];
      const grants = access.flatMap(({ 'target-tag': tag }) => {
        const { kind, id } = parseTag(tag);
        return kind === 'application' ? [id] : [];
      });
      return [
        [label, { description, grants: grants.sort(), ...defined({ checksum: checksums.get(label) }) }],
      ];
    }),
  );
}

/** Says what the contents are read for. */
async function compared<T>(secret: string, listed: Promise<T>): Promise<T> {
  try {
    return await listed;
  } catch (error) {
    if (!hasCode(error, 'unauthorized access')) throw error;
    throw new JujuError(
      'unauthorized access',
      `contents of secrets are compared by admins of the model only: secret "${secret}"`,
      { cause: error },
    );
  }
}

/** Pools that were made; each storage provider is a pool of its own name besides. */
async function readPools(connection: Connection): Promise<Record<string, FilePool>> {
  const { results } = await call(connection, 'Storage', 'ListPools', { filters: [{}] });
  allOk(results, () => 'storage pools');
  return poolsOf(results.flatMap((one) => one['storage-pools'] ?? []));
}

export function poolsOf(
  pools: NonNullable<ResultOf<'Storage', 'ListPools'>['results'][number]['storage-pools']>,
): Record<string, FilePool> {
  return Object.fromEntries(
    pools
      .filter(({ name, provider }) => name !== provider)
      .map(({ name, provider, attrs }) => [
        name,
        {
          provider,
          attributes: Object.fromEntries(Object.entries(attrs).map(([key, value]) => [key, String(value)])),
        },
      ]),
  );
}
