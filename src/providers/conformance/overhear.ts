/**
 * Returns a proxy of the object with `more` as additional properties. Everything that its functions return, resolve to,
 * throw or reject with is passed to `hear` as text. `check` is called before each call, and may throw.
 */
export function overhear<T extends object, More extends object>(
  object: T,
  more: More,
  hear: (line: string) => void,
  check: () => void = () => undefined,
): T & More {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(more, key)) return Reflect.get(more, key) as unknown;
      const value = Reflect.get(target, key) as unknown;
      if (typeof value === 'function') return overheardCall(target, value as Call, hear, check);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return overhear(value, {}, hear, check);
    },
  }) as T & More;
}

/** Renders a value as a log or a person would see it: errors with stack and causes. */
export function textOf(value: unknown): string {
  if (value instanceof AggregateError)
    return [value.stack, ...value.errors.map(textOf), textOf(value.cause)].join('\n');
  if (value instanceof Error) return `${value.stack} ${value.message} ${textOf(value.cause)}`;
  return JSON.stringify(value, (_, part: unknown) => (part instanceof Error ? textOf(part) : part)) ?? '';
}

type Call = (...args: unknown[]) => unknown;

function overheardCall(target: object, call: Call, hear: (line: string) => void, check: () => void): Call {
  const thrown = (error: unknown): never => {
    hear(textOf(error));
    throw error;
  };
  const returned = (value: unknown): unknown => {
    hear(textOf(value));
    return value;
  };
  return (...args) => {
    check();
    let result: unknown;
    try {
      result = call.apply(target, args);
    } catch (error) {
      return thrown(error);
    }
    return result instanceof Promise ? result.then(returned, thrown) : returned(result);
  };
}
