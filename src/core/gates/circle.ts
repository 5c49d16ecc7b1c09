/** Circles of closed gates, which would never open (required-endpoints.md#gate-circles). */
import { JujuError } from '../errors.ts';

/** Which applications wait for which by closed gates. */
export interface GateGraph {
  /** Applications that this one waits for. */
  after(application: string): Iterable<string>;
  /** Applications that wait for this one. */
  before(application: string): Iterable<string>;
}

/**
 * Refuses gates of `name` on the applications `after` that would close a circle. The search goes from both ends at
 * once, so that a long chain is deployed in any order at little cost. Errors: `not valid`, with the circle.
 */
export function refuseCircle(name: string, after: readonly string[], graph: GateGraph): void {
  const down = new Search(name, after, (one) => graph.after(one));
  const up = new Search(name, graph.before(name), (one) => graph.before(one));
  for (;;) {
    const one = down.next();
    if (one === name) throw circleFound(name, down.pathTo(name));
    const other = up.next();
    if (other !== undefined && after.includes(other))
      throw circleFound(name, [...up.pathTo(other).reverse(), name]);
    // The search that ends first has seen all that could close the circle.
    if (one === undefined || other === undefined) return;
  }
}

function circleFound(name: string, circle: readonly string[]): JujuError {
  return new JujuError('not valid', `${name} cannot wait for ${circle[0]}: ${circleWords(circle)}`);
}

/** A search along gates that remembers from where each application was found. */
class Search {
  readonly #from = new Map<string, string>();
  readonly #found: Iterator<string>;
  readonly #start: string;

  constructor(start: string, first: Iterable<string>, more: (application: string) => Iterable<string>) {
    this.#start = start;
    this.#found = this.#walk(first, more);
  }

  /** The next application that was not found before; undefined = there is none. */
  next(): string | undefined {
    const { done, value } = this.#found.next();
    return done ? undefined : value;
  }

  /** The way from the start, which it leaves out, to an application that was found. */
  pathTo(application: string): string[] {
    const path = [application];
    for (
      let at = this.#from.get(application);
      at !== undefined && at !== this.#start;
      at = this.#from.get(at)
    )
      path.unshift(at);
    return path;
  }

  *#walk(first: Iterable<string>, more: (application: string) => Iterable<string>): Iterator<string> {
    const queue: [from: string, to: Iterable<string>][] = [[this.#start, first]];
    for (const [from, to] of queue)
      for (const one of to) {
        if (this.#from.has(one)) continue;
        this.#from.set(one, from);
        yield one;
        if (one !== this.#start) queue.push([one, more(one)]);
      }
  }
}

/** Maximum number of applications of a circle that are named. */
const namedMax = 10;

/** The circle in words: `db waits for cache, which waits for web`. */
function circleWords([first, ...rest]: readonly string[]): string {
  const more = rest.length - namedMax;
  const shown = more > 0 ? [...rest.slice(0, namedMax - 1), `… (${more} more)`, rest.at(-1)!] : rest;
  return `${first} waits for ${shown.join(', which waits for ')}`;
}
