import { userId } from './document.ts';

/** Values by user, found under each spelling of the user's name: `Bob`, `bob`, `bob@local`. */
export class ByUser<T> {
  readonly #values: ReadonlyMap<string, T>;

  constructor(values: Readonly<Record<string, T>> = {}) {
    this.#values = new Map(Object.entries(values).map(([user, value]) => [userId(user), value]));
  }

  get(user: string): T | undefined {
    return this.#values.get(userId(user));
  }

  has(user: string): boolean {
    return this.#values.has(userId(user));
  }
}
