import { JujuError, notValid } from '../../core/errors.ts';
import { cut } from '../../core/limits.ts';
import { isMap, types, type JsonMap } from './values.ts';
import type { SchemaWork } from './work.ts';

/**
 * Refuses values that are no schema of draft 04, and references, which Juju does not take either. Keys that the draft
 * does not name may have any value. Errors: JujuError `not valid`, `quota limit exceeded`.
 */
export function checkSchema(schema: JsonMap, work: SchemaWork): void {
  refuseReferences(schema, work);
  checkPart(schema, '', work);
}

function refuseReferences(value: unknown, work: SchemaWork): void {
  work.spend(1);
  if (Array.isArray(value)) for (const item of value) refuseReferences(item, work);
  if (!isMap(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' || key === '$schema')
      throw notValid(`schema key "${key}" not compatible with this version of juju`);
    refuseReferences(item, work);
  }
}

function checkPart(schema: unknown, path: string, work: SchemaWork): void {
  if (!isMap(schema)) throw expected('a schema', schema, path);
  for (const [keyword, check] of Object.entries(keywords))
    if (schema[keyword] !== undefined)
      check(schema[keyword], path === '' ? keyword : `${path}.${keyword}`, work);
}

type Check = (argument: unknown, path: string, work: SchemaWork) => void;

const isNumber = (value: unknown): boolean => typeof value === 'number';
const number = fitting('a number', isNumber);
const flag = fitting('bool', (value) => typeof value === 'boolean');
const count = fitting('a number of at least 0', (value) => Number.isInteger(value) && (value as number) >= 0);
const names = fitting('a list of names', isNames);
const flagOrSchema: Check = (argument, path, work) => {
  if (typeof argument !== 'boolean') checkPart(argument, path, work);
};

const keywords: Readonly<Record<string, Check>> = {
  type: fitting(`one of ${types.join(', ')}, or a list of them`, (value) => {
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all.length > 0 && all.every((one) => (types as readonly unknown[]).includes(one));
  }),
  enum: fitting('a list', (value) => Array.isArray(value)),
  multipleOf: fitting('a number above 0', (value) => isNumber(value) && (value as number) > 0),
  minimum: number,
  maximum: number,
  exclusiveMinimum: flag,
  exclusiveMaximum: flag,
  minLength: count,
  maxLength: count,
  pattern: checkPattern,
  items(argument, path, work) {
    if (Array.isArray(argument)) schemas(argument, path, work);
    else checkPart(argument, path, work);
  },
  additionalItems: flagOrSchema,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  required: names,
  minProperties: count,
  maxProperties: count,
  properties: mapOf(checkPart),
  patternProperties: mapOf((argument, path, work, pattern) => {
    checkPattern(pattern, path, work);
    checkPart(argument, path, work);
  }),
  additionalProperties: flagOrSchema,
  dependencies: mapOf((argument, path, work) => {
    if (!isNames(argument)) checkPart(argument, path, work);
  }),
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: checkPart,
};

function fitting(expectation: string, fits: (value: unknown) => boolean): Check {
  return (argument, path) => {
    if (!fits(argument)) throw expected(expectation, argument, path);
  };
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function mapOf(check: (argument: unknown, path: string, work: SchemaWork, key: string) => void): Check {
  return (argument, path, work) => {
    if (!isMap(argument)) throw expected('a map', argument, path);
    for (const [key, value] of Object.entries(argument)) check(value, `${path}.${key}`, work, key);
  };
}

function schemas(argument: unknown, path: string, work: SchemaWork): void {
  if (!Array.isArray(argument) || argument.length === 0) throw expected('a list of schemas', argument, path);
  for (const [n, schema] of argument.entries()) checkPart(schema, `${path}.${n}`, work);
}

function checkPattern(argument: unknown, path: string, work: SchemaWork): void {
  if (typeof argument !== 'string') throw expected('a pattern', argument, path);
  try {
    work.compile(argument);
  } catch (error) {
    throw error instanceof JujuError
      ? new JujuError(error.code, `${path}: ${error.message}`, { cause: error })
      : error;
  }
}

function expected(expectation: string, value: unknown, path: string): Error {
  const prefix = path === '' ? '' : `${path}: `;
  return notValid(
    `${prefix}expected ${expectation}, got ${cut({ max: 200 }, JSON.stringify(value) ?? 'nothing')}`,
  );
}
