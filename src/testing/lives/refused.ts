/** Refusal by the rules; `code` as clients get it. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export function existing<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined) throw new Refused('not found');
  return found;
}

export function refuseIf(wrong: unknown, code: string): void {
  if (wrong !== false && wrong !== undefined) throw new Refused(code);
}
