import {
  diffValues,
  filled,
  sides,
  type ApplicationDiff,
  type BundleDiff,
  type Each,
  type MachineDiff,
  type Sides,
} from '../bundle/diff-bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { formatConstraints } from '../constraints.ts';
import type { ModelConfigValue } from '../model/config.ts';
import type { LevelOf } from '../access/levels.ts';
import type { FilePool, ModelFile } from './model-file.ts';
import type { LiveModel } from './plan.ts';

/** The differences of a model and a file, in both directions. Empty when there are none. */
interface ModelDiff {
  readonly settings?: EachOfFile<ModelConfigValue>;
  readonly constraints?: FileSides<string>;
  readonly access?: EachOfFile<LevelOf<'model'>>;
  readonly 'storage-pools'?: EachOfFile<FilePool>;
  readonly secrets?: Readonly<Record<string, SecretDiff>>;
  /** The differences of its bundle, as BundleDiff has them, whose side `bundle` is `file` here. */
  readonly saas?: object;
  readonly applications?: object;
  readonly machines?: object;
  readonly relations?: object;
}

interface FileSides<T> {
  readonly file: T;
  readonly model: T;
}
type EachOfFile<T> = Readonly<Record<string, FileSides<T | null>>>;

interface SecretDiff {
  /** The side that lacks the secret. */
  readonly missing?: 'file' | 'model';
  readonly description?: FileSides<string>;
  readonly grants?: FileSides<readonly string[]>;
  /** Set when the contents differ, which are not shown. */
  readonly content?: 'differs';
}

/**
 * Compares a file with a model. `bundle`: the differences of its bundle; `checksums`: those of the contents that the
 * file gives, by secret.
 */
export function diffModel(
  file: ModelFile,
  live: LiveModel,
  { bundle, checksums }: { bundle: BundleDiff; checksums: Readonly<Record<string, string>> },
): ModelDiff {
  const names = [...new Set([...Object.keys(file.secrets), ...Object.keys(live.secrets)])].sort();
  const secrets = names.map((name): [string, SecretDiff] => [name, diffSecret(name, file, live, checksums)]);
  return filled<ModelDiff>({
    settings: each(diffValues(file.settings, live.settings)),
    constraints: side(sides(formatConstraints(file.constraints ?? {}), formatConstraints(live.constraints))),
    access: each(diffValues(file.access, live.access)),
    'storage-pools': each(diffValues(inOrder(file.storagePools), inOrder(live.storagePools))),
    secrets: filled(Object.fromEntries(secrets)),
    saas: each(bundle.saas),
    applications: entries(bundle.applications),
    machines: entries(bundle.machines),
    relations: bundle.relations && {
      ...filled({
        'file-additions': bundle.relations['bundle-additions'],
        'model-additions': bundle.relations['model-additions'],
      }),
    },
  });
}

function side<T>(differs: Sides<T> | undefined): FileSides<T> | undefined {
  return differs && { file: differs.bundle, model: differs.model };
}

function each<T>(values: Each<T> | undefined): EachOfFile<T> | undefined {
  if (!values) return undefined;
  return Object.fromEntries(Object.entries(values).map(([name, differs]) => [name, side(differs)!]));
}

/** Differences of applications or machines, by name. */
function entries(
  all: Readonly<Record<string, ApplicationDiff | MachineDiff>> = {},
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(all).map(([name, one]) => [
      name,
      Object.fromEntries(Object.entries(one as object).map(([key, value]) => [key, member(key, value)])),
    ]),
  );
}

/** Members that are maps of values with two sides; all others have two sides themselves. */
const maps = ['exposed_endpoints', 'options', 'annotations', 'storage', 'resources', 'offers', 'after'];

function member(key: string, value: unknown): unknown {
  if (key === 'missing') return value === 'bundle' ? 'file' : value;
  return maps.includes(key) ? each(value as Each<unknown>) : side(value as Sides<unknown>);
}

function diffSecret(
  name: string,
  file: ModelFile,
  live: LiveModel,
  checksums: Readonly<Record<string, string>>,
): SecretDiff {
  const wanted = ownValue(file.secrets, name);
  const has = ownValue(live.secrets, name);
  if (!wanted) return { missing: 'file' };
  if (!has) return { missing: 'model' };
  const checksum = ownValue(checksums, name);
  return filled<SecretDiff>({
    description: side(sides(wanted.description, has.description)),
    grants: side(sides([...new Set(wanted.grants)].sort(), [...has.grants].sort())),
    content: checksum !== undefined && checksum !== has.checksum ? 'differs' : undefined,
  });
}

/** Pools with their attributes in order, so that equal ones have the same text. */
function inOrder(pools: Readonly<Record<string, FilePool>>): Record<string, FilePool> {
  return Object.fromEntries(
    Object.entries(pools).map(([name, { provider, attributes }]) => [
      name,
      {
        provider,
        attributes: Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))),
      },
    ]),
  );
}
