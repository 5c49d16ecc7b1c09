/**
 * Values checked by a JSON schema of draft 04, in the words of Juju. The schema is read as it stands: nothing is
 * compiled but its patterns, and every step is counted. Formats are not checked, and references not followed.
 */
import { cut } from '../../core/limits.ts';
import { canonical, isMap, isOfType, type JsonMap } from './values.ts';
import type { SchemaWork } from './work.ts';

interface Problem {
  readonly path: string;
  readonly words: string;
  readonly value: unknown;
}

/** Maximum number of problems of a value that are told. */
const problemsMax = 10;
const shownMax = { max: 1024 };

/** Returns the problems of the value as text; '' when there are none. Errors: JujuError `quota limit exceeded`. */
export function validate(schema: JsonMap, value: unknown, work: SchemaWork): string {
  return new Place(work, '(root)')
    .check(schema, value)
    .map(
      (one) => `${one.path} : ${cut(shownMax, one.words)}, given ${cut(shownMax, JSON.stringify(one.value))}`,
    )
    .join('; ');
}

class Place {
  readonly work: SchemaWork;
  readonly path: string;
  readonly problems: Problem[] = [];

  constructor(work: SchemaWork, path: string) {
    this.work = work;
    this.path = path;
  }

  report(words: string, value: unknown): void {
    if (this.problems.length < problemsMax) this.problems.push({ path: this.path, words, value });
  }

  /** The problems of the value itself, without those that were there before. */
  check(schema: unknown, value: unknown): readonly Problem[] {
    this.work.spend(4);
    if (!isMap(schema)) return this.problems;
    const { type } = schema;
    const allowed = Array.isArray(type) ? (type as unknown[]) : [type];
    if (type !== undefined && !allowed.some((one) => isOfType(one, value))) {
      this.report(`must be of type ${Array.isArray(type) ? `[${type.join()}]` : (type as string)}`, value);
      return this.problems;
    }
    for (const [keyword, rule] of rulesFor(value)) {
      const argument = schema[keyword];
      if (argument !== undefined) rule(argument as never, value as never, this, schema);
    }
    return this.problems;
  }

  /** The problems of the same value by another schema. */
  alone(schema: unknown, value: unknown): readonly Problem[] {
    return new Place(this.work, this.path).check(schema, value);
  }

  /** Checks a value inside, whose problems are this value's, too. */
  inside(key: string | number, schema: unknown, value: unknown): void {
    this.take(new Place(this.work, `${this.path}.${key}`).check(schema, value));
  }

  take(problems: readonly Problem[]): void {
    this.problems.push(...problems.slice(0, problemsMax - this.problems.length));
  }
}

type Rule<A, V> = (argument: A, value: V, at: Place, schema: JsonMap) => void;
type Rules<V> = Readonly<Record<string, Rule<never, V>>>;

const ofAll: Rules<unknown> = {
  anyOf(schemas: readonly unknown[], value, at) {
    const nearest = nearestOf(schemas, value, at);
    if (nearest.length === 0) return;
    at.report('must validate at least one schema (anyOf)', value);
    at.take(nearest);
  },
  oneOf(schemas: readonly unknown[], value, at) {
    const all = schemas.map((schema) => at.alone(schema, value));
    const fitting = all.filter((problems) => problems.length === 0).length;
    if (fitting === 1) return;
    at.report('must validate one and only one schema (oneOf)', value);
    if (fitting === 0) at.take(fewest(all));
  },
  allOf(schemas: readonly unknown[], value, at) {
    const all = schemas.flatMap((schema) => at.alone(schema, value));
    if (all.length === 0) return;
    at.take(all);
    at.report('must validate all the schemas (allOf)', value);
  },
  not(schema: unknown, value, at) {
    if (at.alone(schema, value).length === 0) at.report('must not validate the schema (not)', value);
  },
  enum(values: readonly unknown[], value, at) {
    const text = canonical(value, at.work);
    const texts = values.map((one) => canonical(one, at.work));
    if (!texts.includes(text)) at.report(`must match one of the enum values [${texts.join()}]`, value);
  },
};

const ofNumbers: Rules<number> = {
  multipleOf(divisor: number, value, at) {
    const times = value / divisor;
    // Decimals are no binary fractions: 0.3 / 0.1 is a little less than 3.
    const isWhole = Math.abs(times - Math.round(times)) <= Math.abs(times) * 2 * Number.EPSILON;
    if (!isWhole) at.report(`must be a multiple of ${divisor}`, value);
  },
  minimum(least: number, value, at, { exclusiveMinimum }) {
    if (exclusiveMinimum === true) {
      if (value <= least) at.report(`must be greater than ${least}`, value);
    } else if (value < least) at.report(`must be greater than or equal to ${least}`, value);
  },
  maximum(most: number, value, at, { exclusiveMaximum }) {
    if (exclusiveMaximum === true) {
      if (value >= most) at.report(`must be lower than ${most}`, value);
    } else if (value > most) at.report(`must be lower than or equal to ${most}`, value);
  },
};

const ofTexts: Rules<string> = {
  minLength(least: number, value, at) {
    if (lengthOf(value, at) < least) at.report(`string length must be greater or equal to ${least}`, value);
  },
  maxLength(most: number, value, at) {
    if (lengthOf(value, at) > most) at.report(`string length must be lower or equal to ${most}`, value);
  },
  pattern(pattern: string, value, at) {
    if (!at.work.matches(pattern, value)) at.report(`does not match pattern '${pattern}'`, value);
  },
};

const ofLists: Rules<readonly unknown[]> = {
  items(items: unknown, value, at, { additionalItems }) {
    if (!Array.isArray(items)) return value.forEach((item, n) => at.inside(n, items, item));
    const extraCount = value.length - items.length;
    if (additionalItems === false && extraCount > 0) at.report('no additional item allowed on array', value);
    for (const [n, item] of value.entries()) {
      if (n < items.length) at.inside(n, items[n], item);
      else if (isMap(additionalItems)) at.inside(n, additionalItems, item);
    }
  },
  minItems(least: number, value, at) {
    if (value.length < least) at.report(`array must have at least ${least} items`, value);
  },
  maxItems(most: number, value, at) {
    if (value.length > most) at.report(`array must have at the most ${most} items`, value);
  },
  uniqueItems(isAsked: boolean, value, at) {
    if (!isAsked) return;
    at.work.spend(6 * value.length);
    const different = new Set(value.map((item) => canonical(item, at.work)));
    if (different.size < value.length) at.report('array items must be unique', value);
  },
};

const ofMaps: Rules<JsonMap> = {
  required(names: readonly string[], value, at) {
    at.work.spend(names.length);
    for (const name of names)
      if (!Object.hasOwn(value, name)) at.report(`"${name}" property is missing and required`, value);
  },
  minProperties(least: number, value, at) {
    if (Object.keys(value).length < least) at.report(`must have at least ${least} properties`, value);
  },
  maxProperties(most: number, value, at) {
    if (Object.keys(value).length > most) at.report(`must have at the most ${most} properties`, value);
  },
  properties(properties: JsonMap, value, at) {
    const names = Object.keys(properties);
    at.work.spend(names.length);
    for (const name of names) if (Object.hasOwn(value, name)) at.inside(name, properties[name], value[name]);
  },
  patternProperties(patterns: JsonMap, value, at) {
    for (const [pattern, schema] of Object.entries(patterns))
      for (const [name, item] of Object.entries(value))
        if (at.work.matches(pattern, name)) at.inside(name, schema, item);
  },
  additionalProperties(allowed: unknown, value, at, { properties = {}, patternProperties = {} }) {
    if (allowed === true) return;
    const patterns = Object.keys(patternProperties as JsonMap);
    for (const [name, item] of Object.entries(value)) {
      at.work.spend(1);
      if (Object.hasOwn(properties as JsonMap, name)) continue;
      if (patterns.some((pattern) => at.work.matches(pattern, name))) continue;
      if (allowed === false) at.report(`additional property "${name}" is not allowed`, value);
      else at.inside(name, allowed, item);
    }
  },
  dependencies(dependencies: JsonMap, value, at) {
    for (const [name, needed] of Object.entries(dependencies)) {
      at.work.spend(1);
      if (!Object.hasOwn(value, name)) continue;
      if (!Array.isArray(needed)) at.take(at.alone(needed, value));
      else
        for (const other of needed as string[])
          if (!Object.hasOwn(value, other)) at.report(`has a dependency on ${other}`, value);
    }
  },
};

const rules = {
  any: Object.entries(ofAll),
  number: Object.entries({ ...ofAll, ...ofNumbers }),
  string: Object.entries({ ...ofAll, ...ofTexts }),
  list: Object.entries({ ...ofAll, ...ofLists }),
  map: Object.entries({ ...ofAll, ...ofMaps }),
};

function rulesFor(value: unknown): readonly [string, Rule<never, never>][] {
  if (typeof value === 'number') return rules.number;
  if (typeof value === 'string') return rules.string;
  if (Array.isArray(value)) return rules.list;
  return isMap(value) ? rules.map : rules.any;
}

/** The length of a text in characters, one of which may be two of JavaScript's. */
function lengthOf(text: string, at: Place): number {
  at.work.spend(text.length / 16);
  let length = 0;
  for (let n = 0; n < text.length; length++) n += text.codePointAt(n)! > 0xffff ? 2 : 1;
  return length;
}

/** The problems by the schema that fits best; none when one fits. */
function nearestOf(schemas: readonly unknown[], value: unknown, at: Place): readonly Problem[] {
  let nearest: readonly Problem[] | undefined;
  for (const schema of schemas) {
    const problems = at.alone(schema, value);
    if (problems.length === 0) return problems;
    if (nearest === undefined || problems.length < nearest.length) nearest = problems;
  }
  return nearest ?? [];
}

function fewest(all: readonly (readonly Problem[])[]): readonly Problem[] {
  return all.reduce((best, problems) => (problems.length < best.length ? problems : best));
}
