/**
 * Decodes a request as Go's encoding/json decodes it into a struct, then applies the schema's own checks. Clients
 * depend on it (wire.md#decoding): keys match without regard to case, unknown ones are dropped, null and absent are the
 * zero value.
 */
import { z } from 'zod';
import { JujuError } from '../core/errors.ts';
import { checkLimit, limits } from '../core/limits.ts';

export type Decoder<T> = (value: unknown) => T;

/**
 * Creates a decoder for the schema, which is walked once. A required member that is absent or null becomes '', 0,
 * false, [] or {} (so schemas are written plainly), a free-form one null; an optional one is left out.
 * Errors of the decoder: JujuError without a code, `json: cannot unmarshal …`; `bad request` where a value has the
 * right type and fails a check of the schema.
 */
export function decoderFor<S extends z.ZodType>(schema: S): Decoder<z.output<S>> {
  const read = compile(schema, '');
  return (value) => {
    const parsed = schema.safeParse(read(value));
    if (!parsed.success) throw failedCheck(parsed.error);
    return parsed.data;
  };
}

/** Decodes a value by a schema that is used once; see decoderFor. */
export function decode<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  return decoderFor(schema)(value);
}

/** Converts a JSON value to what the schema expects; undefined as input = absent, undefined as result = leave out. */
type Read = (value: unknown) => unknown;

/** Compiles a schema. `path`: the members above, as Go names them: without indexes of arrays. */
function compile(schema: z.core.$ZodType, path: string): Read {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return scalar('string', '', path, 'string');
    case 'enum':
      return scalar('string', '', path, 'string');
    case 'boolean':
      return scalar('boolean', false, path, 'bool');
    case 'number':
      return number(schema, path);
    case 'object':
      return object(def, path);
    case 'array':
      return array(compile(def.element, path), path, listMax(def));
    case 'record':
      return record(compile(def.valueType, path), path);
    case 'tuple':
      return tuple(def, path);
    case 'union':
      return union(def.options, path);
    case 'intersection':
      return intersection(compile(def.left, path), compile(def.right, path));
    case 'optional':
    case 'default':
    case 'prefault': {
      const inner = compile(def.innerType, path);
      return (value) => (isAbsent(value) ? undefined : inner(value));
    }
    case 'nullable': {
      const inner = compile(def.innerType, path);
      return (value) => (isAbsent(value) ? null : inner(value));
    }
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return compile(def.innerType, path);
    case 'pipe':
      return compile(def.in, path);
    case 'lazy': {
      let inner: Read | undefined;
      return (value) => (inner ??= compile(def.getter(), path))(value);
    }
    case 'unknown':
    case 'any':
      return (value) => (value === undefined ? null : withoutPrototypes(value));
    default:
      return (value) => withoutPrototypes(value);
  }
}

function scalar(type: 'string' | 'boolean', zero: string | boolean, path: string, goType: string): Read {
  return (value) => {
    if (typeof value === type) return value;
    if (isAbsent(value)) return zero;
    throw mismatch(value, path, goType);
  };
}

function number(schema: z.core.$ZodType, path: string): Read {
  const { isInt, minValue } = schema as z.ZodNumber;
  const goType = !isInt ? 'float64' : minValue !== null && minValue >= 0 ? 'uint64' : 'int64';
  return (value) => {
    if (isAbsent(value)) return 0;
    if (
      typeof value !== 'number' ||
      (isInt && !Number.isInteger(value)) ||
      (goType === 'uint64' && value < 0)
    )
      throw mismatch(value, path, goType);
    return value;
  };
}

function object(def: z.core.$ZodObjectDef, path: string): Read {
  const names = Object.keys(def.shape);
  const reads = names.map((name) => compile(def.shape[name]!, path === '' ? name : `${path}.${name}`));
  const exact = new Map(names.map((name, i) => [name, i]));
  const folded = new Map(names.map((name, i) => [name.toLowerCase(), i]));
  const keepsUnknown = def.catchall !== undefined && def.catchall._zod.def.type !== 'never';
  return (value) => {
    const decoded: Record<string, unknown> = {};
    const members: unknown[] = [];
    if (!isAbsent(value)) {
      if (typeof value !== 'object' || Array.isArray(value)) throw mismatch(value, path, 'object');
      const source = value as Record<string, unknown>;
      for (const key of Object.keys(source)) {
        let index = exact.get(key);
        if (index === undefined) {
          index = folded.get(key.toLowerCase());
          // The exact spelling of the member wins over others.
          if (index !== undefined && Object.hasOwn(source, names[index]!)) continue;
        }
        if (index !== undefined) members[index] = source[key];
        else if (keepsUnknown && key !== '__proto__') decoded[key] = withoutPrototypes(source[key]);
      }
    }
    for (let i = 0; i < names.length; i++) {
      const member = reads[i]!(members[i]);
      if (member !== undefined) decoded[names[i]!] = member;
    }
    return decoded;
  };
}

/**
 * Maximum number of entries of a list: the schema's own maximum, else what most methods answer without delaying other
 * requests.
 */
export function listMax({ checks = [] }: Pick<z.core.$ZodArrayDef, 'checks'>): number {
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodCheckMaxLengthDef;
    if (def.check === 'max_length') return def.maximum;
  }
  return limits.listEntries.max;
}

function array(element: Read, path: string, max: number): Read {
  return (value) => {
    if (isAbsent(value)) return [];
    if (!Array.isArray(value)) throw mismatch(value, path, 'array');
    checkLimit({ ...limits.listEntries, max }, value.length, path);
    return value.map((item) => element(item));
  };
}

function record(read: Read, path: string): Read {
  return (value) => {
    const decoded: Record<string, unknown> = {};
    if (isAbsent(value)) return decoded;
    if (typeof value !== 'object' || Array.isArray(value)) throw mismatch(value, path, 'map');
    const keys = Object.keys(value);
    checkLimit(limits.mapEntries, keys.length, path);
    for (const key of keys) {
      if (key === '__proto__') continue;
      const item = read((value as Record<string, unknown>)[key]);
      if (item !== undefined) decoded[key] = item;
    }
    return decoded;
  };
}

function tuple(def: z.core.$ZodTupleDef, path: string): Read {
  const items = def.items.map((item) => compile(item, path));
  const readRest = def.rest ? compile(def.rest, path) : undefined;
  return (value) => {
    if (!isAbsent(value) && !Array.isArray(value)) throw mismatch(value, path, 'array');
    const elements = (value ?? []) as unknown[];
    const decoded = items.map((read, i) => read(elements[i]));
    if (readRest) for (const item of elements.slice(items.length)) decoded.push(readRest(item));
    return decoded;
  };
}

/** Takes the first alternative that fits. */
function union(options: readonly z.core.$ZodType[], path: string): Read {
  const alternatives = options.map((option) => ({ option, read: compile(option, path) }));
  return (value) => {
    if (isAbsent(value)) return alternatives[0]!.read(value);
    for (const { option, read } of alternatives) {
      let candidate: unknown;
      try {
        candidate = read(value);
      } catch (error) {
        if (error instanceof JujuError) continue;
        throw error;
      }
      if (z.safeParse(option, candidate).success) return candidate;
    }
    throw mismatch(value, path, 'any of several types');
  };
}

function intersection(left: Read, right: Read): Read {
  return (value) => ({ ...(left(value) as object), ...(right(value) as object) });
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Maximum depth: deeper than any legitimate value, and far from the end of the stack. */
const depthMax = 500;

/** Free-form value without members called `__proto__`, which could set prototypes in later copies. */
function withoutPrototypes(value: unknown): unknown {
  return hasPrototypes(value, 0) ? copyWithout(value) : value;
}

function hasPrototypes(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > depthMax) throw new JujuError('', 'json: exceeded max depth');
  if (Array.isArray(value)) return value.some((item) => hasPrototypes(item, depth + 1));
  for (const key of Object.keys(value))
    if (key === '__proto__' || hasPrototypes((value as Record<string, unknown>)[key], depth + 1)) return true;
  return false;
}

function copyWithout(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyWithout);
  const decoded: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value))
    if (key !== '__proto__') decoded[key] = copyWithout(member);
  return decoded;
}

function mismatch(value: unknown, path: string, goType: string): JujuError {
  const field = path === '' ? 'Go value' : `Go struct field params.${path}`;
  return new JujuError('', `json: cannot unmarshal ${jsonKind(value)} into ${field} of type ${goType}`);
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? `number ${value}` : typeof value;
}

function failedCheck(error: z.ZodError): JujuError {
  const issue = error.issues[0];
  const where = issue?.path.filter((part) => typeof part === 'string').join('.');
  return new JujuError('bad request', `${where ? `${where}: ` : ''}${issue?.message ?? 'not valid'}`);
}
