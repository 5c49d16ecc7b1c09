import { diffValues, filled, sides, type BundleDiff, type Each, type Sides } from '../bundle/diff-bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { formatConstraints } from '../constraints.ts';
import type { ModelConfigValue } from '../model/config.ts';
import type { LevelOf } from '../access/levels.ts';
import type { FilePool, ModelFile } from './model-file.ts';
import type { LiveModel } from './plan.ts';

/** The differences of a model and a file, in both directions; `bundle` is the file's side. Empty when there are none. */
export interface ModelDiff extends BundleDiff {
  readonly settings?: Each<ModelConfigValue>;
  readonly constraints?: Sides<string>;
  readonly access?: Each<LevelOf<'model'>>;
  readonly 'storage-pools'?: Each<FilePool>;
  readonly secrets?: Readonly<Record<string, SecretDiff>>;
}

export interface SecretDiff {
  /** The side that lacks the secret. */
  readonly missing?: 'bundle' | 'model';
  readonly description?: Sides<string>;
  readonly grants?: Sides<readonly string[]>;
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
    settings: diffValues(file.settings, live.settings),
    constraints: sides(formatConstraints(file.constraints ?? {}), formatConstraints(live.constraints)),
    access: diffValues(file.access, live.access),
    'storage-pools': diffValues(inOrder(file.storagePools), inOrder(live.storagePools)),
    secrets: filled(Object.fromEntries(secrets)),
    saas: bundle.saas,
    applications: bundle.applications,
    machines: bundle.machines,
    relations: bundle.relations,
  });
}

function diffSecret(
  name: string,
  file: ModelFile,
  live: LiveModel,
  checksums: Readonly<Record<string, string>>,
): SecretDiff {
  const wanted = ownValue(file.secrets, name);
  const has = ownValue(live.secrets, name);
  if (!wanted) return { missing: 'bundle' };
  if (!has) return { missing: 'model' };
  const checksum = ownValue(checksums, name);
  return filled<SecretDiff>({
    description: sides(wanted.description, has.description),
    grants: sides([...new Set(wanted.grants)].sort(), [...has.grants].sort()),
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
