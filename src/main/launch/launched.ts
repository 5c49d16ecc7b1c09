/** What the launcher of a controller tells the program that it runs, in the same process. */
interface Launched {
  /** Path of the launcher. */
  readonly launcher: string;
  /** Build that was chosen; absent = the installed program runs. */
  readonly build?: string;
  /** Whether it is tried: changes are accepted once it is confirmed. */
  readonly isTrial: boolean;
  /** Lock of the choice, which the process holds until it ends. */
  readonly lock?: Disposable;
}

const key = Symbol.for('grigri.controller-launched');
const holder = globalThis as { [key]?: Launched };

export function setLaunched(launched: Launched): void {
  holder[key] = launched;
}

/** Undefined for a controller that no launcher has started. */
export function getLaunched(): Launched | undefined {
  return holder[key];
}
