import { isLevel, ladders, type LevelOf } from '../access/levels.ts';
import { parseBundleAnd } from '../bundle/parse-bundle.ts';
import { expected, type Section } from '../bundle/section.ts';
import { isMap } from '../charm/raw.ts';
import { parseConstraints } from '../constraints.ts';
import { defined } from '../defined.ts';
import { notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';
import { withDefaultBase } from '../model/default-series.ts';
import { parseModelConfig, type ModelConfigValue } from '../model/config.ts';
import { modelConfigSchema } from '../model/config-schema.ts';
import { isApplicationName, isModelName } from '../names.ts';
import { checkSecretKey } from '../secret/content.ts';
import { isPoolName } from '../storage/directive.ts';
import { isUserName } from '../user/document.ts';
import type { FilePool, FileSecret, ModelFile, SecretSource } from './model-file.ts';

/**
 * Parses a model file. `raw` is its YAML as parsed, with variables in place and overlays merged in. Errors: `not
 * valid`, with all problems. An unknown key is one, unlike in bundles: what a file no longer names may be removed.
 */
export function parseModelFile(raw: unknown): ModelFile {
  const { bundle, more } = parseBundleAnd(raw, 'model file', (root) => ({
    unscaled: unscaledIn(root),
    settings: parseSettings(root.section('settings')),
    ...defined({ constraints: root.parsed('constraints', parseConstraints) }),
    access: parseAccess(root.section('access')),
    secrets: parseSecrets(root.section('secrets')),
    storagePools: parsePools(root.section('storage-pools')),
  }));
  return { bundle, ...more };
}

/** The name under which the model remembers what the file made: the file's own, or the model's. */
export function fileName({ bundle: { name } }: ModelFile, model: string): string {
  if (name !== undefined && !isModelName(name))
    throw notValid(
      `name: "${name}" is not a name that a model may have: use lowercase letters, digits and hyphens`,
    );
  return name ?? model;
}

function unscaledIn(root: Section): ReadonlySet<string> {
  const names = ['applications', 'services'].flatMap((key) => {
    const section = root.value(key);
    if (!isMap(section)) return [];
    return Object.entries(section).flatMap(([name, one]) =>
      isMap(one) && (one['num_units'] ?? one['scale']) !== undefined ? [] : [name],
    );
  });
  return new Set(names);
}

/** Settings that no file has: whoever makes a model gives it keys, and KeyManager changes them. */
export const settingsOfNoFile: ReadonlySet<string> = new Set(['authorized-keys']);

function parseSettings(section: Section): Record<string, ModelConfigValue> {
  const settings: [string, ModelConfigValue][] = [];
  for (const key of section.keys()) {
    const value = section.given(key);
    if (value === undefined) continue;
    const attribute = Object.hasOwn(modelConfigSchema, key) ? modelConfigSchema[key] : undefined;
    if (attribute?.immutable || settingsOfNoFile.has(key))
      section.problem('a file cannot change this setting: remove it from the file', key);
    const config = section.attempt(() => parseModelConfig({ [key]: value }).config, key);
    if (config) settings.push(...Object.entries(config));
  }
  const given = Object.fromEntries(settings);
  return section.attempt(() => withDefaultBase(given) as typeof given) ?? given;
}

function parseAccess(section: Section): Record<string, LevelOf<'model'>> {
  return Object.fromEntries(
    Object.entries(section.textMap()).flatMap(([user, access]) => {
      const parts = user.split('@');
      if (parts.length > 2 || !parts.every(isUserName)) section.problem(`"${user}" is not a valid user name`);
      if (isLevel('model', access)) return [[user, access]];
      section.problem(expected(`one of ${ladders.model.join(', ')}`, access), user);
      return [];
    }),
  );
}

function parseSecrets(section: Section): Record<string, FileSecret> {
  return Object.fromEntries(
    section.sections().map(([name, one]): [string, FileSecret] => {
      if (name === '') one.problem('a secret is found again by its name: give it one');
      one.attempt(() => checkLimit(limits.secretLabel, name.length));
      const grants = one.texts('grants');
      const wrong = grants.find((grant) => !isApplicationName(grant));
      if (wrong !== undefined) one.problem(expected('names of applications', wrong), 'grants');
      const content = parseContent(one.section('content'));
      const secret = { description: one.text('description') ?? '', ...defined({ content }), grants };
      one.attempt(() => checkLimit(limits.secretDescription, secret.description.length), 'description');
      one.reportRest();
      return [name, secret];
    }),
  );
}

/** Values are by reference only, so that the file can be kept where everybody reads it. */
function parseContent(section: Section): FileSecret['content'] {
  const entries = section.keys().flatMap((key): [string, SecretSource][] => {
    section.attempt(() => checkSecretKey(key), key);
    const value = section.value(key);
    if (!isMap(value)) {
      section.problem(
        'the value is not written here, but where it comes from: {env: NAME} or {file: PATH}',
        key,
      );
      return [];
    }
    const source = section.section(key);
    const [env, file] = [source.text('env'), source.text('file')];
    source.reportRest();
    if (env && file === undefined) return [[key, { env }]];
    if (file && env === undefined) return [[key, { file }]];
    source.problem('expected one of {env: NAME} and {file: PATH}');
    return [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function parsePools(section: Section): Record<string, FilePool> {
  return Object.fromEntries(
    section.sections().map(([name, one]): [string, FilePool] => {
      if (!isPoolName(name)) one.problem(`pool name "${name}" not valid`);
      const provider = one.text('provider') ?? '';
      if (provider === '') one.problem('a provider is required', 'provider');
      const attributes = one.section('attributes').textMap();
      one.reportRest();
      return [name, { provider, attributes }];
    }),
  );
}
