/** Members that the files of controllers must have. Other members belong to other clients and are not checked. */
import { Misshapen } from './client-file.ts';

export type ControllerFile = 'controllers' | 'accounts' | 'models' | 'bootstrap-config';

type Value = 'a text' | 'a list of texts' | 'a map';

/** Required members of each controller's entry, which all clients write. */
const needed: Readonly<Record<ControllerFile, Readonly<Record<string, Value>>>> = {
  controllers: { uuid: 'a text', 'api-endpoints': 'a list of texts', 'ca-cert': 'a text', cloud: 'a text' },
  accounts: { user: 'a text' },
  models: {},
  'bootstrap-config': { 'controller-config': 'a map', cloud: 'a text', type: 'a text' },
};

/** Consequence of losing each file. */
export const lostWithout: Readonly<Record<ControllerFile, string>> = {
  controllers: 'the client then knows no controller',
  accounts: 'the client then knows no user and no password of a controller',
  models: 'grigri models makes it again, but for which model is the current one',
  'bootstrap-config': 'destroy-controller and kill-controller then do not know how a controller was made',
};

/** Checks a file's content. Errors: Misshapen. */
export function checkShape(kind: ControllerFile, content: unknown): void {
  if (!isMap(content)) throw new Misshapen([], 'a map is expected');
  mustBe('a text', content, ['current-controller'], true);
  for (const [name, entry] of entriesOf(content, ['controllers'])) {
    const at = ['controllers', name];
    if (!isMap(entry)) throw new Misshapen(at, `controller "${name}" has to be a map`);
    for (const [key, value] of Object.entries(needed[kind])) mustBe(value, entry, [...at, key]);
    if (kind === 'models') checkModels(entry, at);
  }
}

function checkModels(entry: Readonly<Record<string, unknown>>, at: readonly string[]): void {
  mustBe('a text', entry, [...at, 'current-model'], true);
  if (entry['models'] === undefined) return;
  for (const [name, model] of entriesOf(entry, [...at, 'models'])) {
    const here = [...at, 'models', name];
    if (!isMap(model)) throw new Misshapen(here, `model "${name}" has to be a map`);
    mustBe('a text', model, [...here, 'uuid']);
  }
}

function entriesOf(map: Readonly<Record<string, unknown>>, at: readonly string[]): [string, unknown][] {
  mustBe('a map', map, at);
  return Object.entries(map[at.at(-1)!] as object);
}

/** Checks one value. `at` is the path to the value, whose last key is a key of `map`. Errors: Misshapen. */
function mustBe(
  what: Value,
  map: Readonly<Record<string, unknown>>,
  at: readonly string[],
  isOptional = false,
): void {
  const key = at.at(-1)!;
  const value = map[key];
  if (value === undefined) {
    if (isOptional) return;
    throw new Misshapen(at, `${key}${ofController(at)} is missing`);
  }
  if (!is[what](value)) throw new Misshapen(at, `${key}${ofController(at)} has to be ${what}`);
}

const ofController = (at: readonly string[]): string => (at.length > 2 ? ` of controller "${at[1]}"` : '');

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const is: Readonly<Record<Value, (value: unknown) => boolean>> = {
  'a text': (value) => typeof value === 'string',
  'a list of texts': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'a map': isMap,
};
