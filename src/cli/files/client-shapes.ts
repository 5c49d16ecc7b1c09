/** Members that the files of controllers must have. Other members belong to other clients and are not checked. */
import { Misshapen } from './client-file.ts';

export type ControllerFile = 'controllers' | 'accounts' | 'models' | 'bootstrap-config';

type Value = 'a string' | 'a list of strings' | 'a map';

/** Required members of each controller's entry, which all clients write. */
const requiredMembers: Readonly<Record<ControllerFile, Readonly<Record<string, Value>>>> = {
  controllers: {
    uuid: 'a string',
    'api-endpoints': 'a list of strings',
    'ca-cert': 'a string',
    cloud: 'a string',
  },
  accounts: { user: 'a string' },
  models: {},
  'bootstrap-config': { 'controller-config': 'a map', cloud: 'a string', type: 'a string' },
};

/** Consequence of losing each file. */
export const consequencesOfLoss: Readonly<Record<ControllerFile, string>> = {
  controllers: 'the client then has no record of any controller',
  accounts: 'the client then has no user or password for any controller',
  models: 'grigri models recreates it, except for the current model',
  'bootstrap-config':
    'destroy-controller and kill-controller then cannot find how a controller was bootstrapped',
};

/** Checks a file's content. Errors: Misshapen. */
export function checkShape(kind: ControllerFile, content: unknown): void {
  if (!isMap(content)) throw new Misshapen([], 'a map is expected');
  checkValue('a string', content, ['current-controller'], true);
  for (const [name, entry] of entriesOf(content, ['controllers'])) {
    const path = ['controllers', name];
    if (!isMap(entry)) throw new Misshapen(path, `controller "${name}" must be a map`);
    for (const [key, value] of Object.entries(requiredMembers[kind]))
      checkValue(value, entry, [...path, key]);
    if (kind === 'models') checkModels(entry, path);
  }
}

function checkModels(entry: Readonly<Record<string, unknown>>, path: readonly string[]): void {
  checkValue('a string', entry, [...path, 'current-model'], true);
  if (entry['models'] === undefined) return;
  for (const [name, model] of entriesOf(entry, [...path, 'models'])) {
    const modelPath = [...path, 'models', name];
    if (!isMap(model)) throw new Misshapen(modelPath, `model "${name}" must be a map`);
    checkValue('a string', model, [...modelPath, 'uuid']);
  }
}

function entriesOf(map: Readonly<Record<string, unknown>>, path: readonly string[]): [string, unknown][] {
  checkValue('a map', map, path);
  return Object.entries(map[path.at(-1)!] as object);
}

/** Checks one value. `at` is the path to the value, whose last key is a key of `map`. Errors: Misshapen. */
function checkValue(
  expected: Value,
  map: Readonly<Record<string, unknown>>,
  path: readonly string[],
  isOptional = false,
): void {
  const key = path.at(-1)!;
  const value = map[key];
  if (value === undefined) {
    if (isOptional) return;
    throw new Misshapen(path, `${key}${ownerSuffix(path)} is missing`);
  }
  if (!checks[expected](value)) throw new Misshapen(path, `${key}${ownerSuffix(path)} must be ${expected}`);
}

const ownerSuffix = (at: readonly string[]): string => (at.length > 2 ? ` of controller "${at[1]}"` : '');

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checks: Readonly<Record<Value, (value: unknown) => boolean>> = {
  'a string': (value) => typeof value === 'string',
  'a list of strings': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'a map': isMap,
};
