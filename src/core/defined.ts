/** `T` without `undefined`: members that may be undefined are optional. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns `members` without those that are undefined, to be spread into an object whose optional members may be absent
 * but not undefined: `{ name, ...defined({ zone }) }`.
 */
export function defined<T extends object>(members: T): Defined<T> {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(members) as (keyof T & string)[]) {
    const value = members[name];
    if (value !== undefined) result[name] = value;
  }
  return result as Defined<T>;
}
