/** What a launcher tells the program that it runs, in the same process. */

interface Launched {
  readonly build: string;
  /** Folder that the machine was set up with. */
  readonly toolsDir: string;
}

const key = Symbol.for('grigri.launched');
const holder = globalThis as { [key]?: Launched };

export function setLaunched(launched: Launched): void {
  holder[key] = launched;
}

/** Undefined for an agent that no launcher has started. */
export function getLaunched(): Launched | undefined {
  return holder[key];
}
