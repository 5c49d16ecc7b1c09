/**
 * Takes a document over: what comes back is deeply frozen and exactly what JSON would give back, so that a reader
 * sees the same before and after a restart. Plain documents are frozen in place, not copied (a deploy stages tens
 * of thousands); one with `undefined` members is copied without them.
 * Errors: TypeError for what JSON would bend or drop (functions, dates, maps, NaN, bigint, class instances).
 */
export function adoptJson<T extends object>(doc: T): T {
  return deepFreeze(isExactJson(doc) ? doc : (JSON.parse(JSON.stringify(doc)) as T));
}

/** Freezes what JSON.parse gave. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}

/** Are two JSON values the same, whatever the order of their members? */
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

/** False when a member is `undefined`, which JSON leaves out. */
function isExactJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be stored`);
      // JSON has no negative zero.
      return !Object.is(value, -0);
    case 'object':
      return value === null || (Array.isArray(value) ? isExactArray(value) : isExactObject(value));
    default:
      throw new TypeError(`a ${typeof value} cannot be stored`);
  }
}

function isExactArray(items: readonly unknown[]): boolean {
  let exact = true;
  for (const item of items) exact = isExactJson(item) && exact;
  return exact;
}

function isExactObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor.name} cannot be stored`);
  }
  let exact = true;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    exact = member !== undefined && isExactJson(member) && exact;
  }
  return exact;
}
