/**
 * Takes ownership of a document: the result is deeply frozen and exactly what JSON would give back, so that a reader
 * sees the same before and after a restart. Plain documents are frozen in place, not copied (a deploy stages tens of
 * thousands); one with `undefined` members is copied without them. `size` is jsonSize's. Errors: TypeError for what
 * JSON would change or drop (functions, dates, maps, NaN, bigint, class instances).
 */
export function adoptJson<T extends object>(value: T): { readonly doc: T; readonly size: number } {
  const size = freezeSized(value);
  if (!Number.isNaN(size)) return { doc: value, size };
  const doc = JSON.parse(JSON.stringify(value)) as T;
  return { doc, size: freezeSized(doc) };
}

/**
 * Freezes a value as deepFreeze does and returns its jsonSize; when the size is NaN, the parts that contain the cause
 * stay as they were.
 */
export function freezeSized(value: unknown): number {
  return measure(value, true);
}

/** Freezes a value that JSON.parse returned, with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}

/** Whether two JSON values are equal, whatever the order of their members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !sameJson(left[key], right[key])) return false;
  }
  return true;
}

/**
 * Approximate length of the value's JSON in characters; NaN when a member is `undefined` or JSON writes a number as
 * another one. Errors: TypeError for values that JSON cannot represent.
 */
export function jsonSize(value: unknown): number {
  return measure(value, false);
}

/** One walk for both: a deploy measures and freezes tens of thousands of documents. */
function measure(value: unknown, freezes: boolean): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2;
    case 'boolean':
      return 5;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be stored`);
      // JSON has no negative zero.
      return Object.is(value, -0) ? NaN : 8;
    case 'object': {
      if (value === null) return 4;
      const size = Array.isArray(value) ? arraySize(value, freezes) : objectSize(value, freezes);
      if (freezes && !Number.isNaN(size)) Object.freeze(value);
      return size;
    }
    default:
      throw new TypeError(`a ${typeof value} cannot be stored`);
  }
}

function arraySize(items: readonly unknown[], freezes: boolean): number {
  let size = 2;
  for (const item of items) size += measure(item, freezes) + 1;
  return size;
}

function objectSize(value: object, freezes: boolean): number {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor.name} cannot be stored`);
  }
  let size = 2;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    size += key.length + 4 + (member === undefined ? NaN : measure(member, freezes));
  }
  return size;
}
