/**
 * The object itself, with `more` beside its own properties; what its functions return, resolve to, throw and reject
 * with is told to `hear`, as text. `check` is called before each of them, and may throw.
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

/** With all that a log or a person would be shown of it: an error's stack and causes too. */
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
