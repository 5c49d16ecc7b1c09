import type { Presence } from '../services.ts';

/** Which machine agents are connected, told by the server's sessions. */
export class AgentPresence implements Presence {
  readonly #connections = new Map<string, number>();
  readonly #watchers = new Set<(model: string, machine: string) => void>();

  isPresent(model: string, machine: string): boolean {
    return this.#connections.has(`${model} ${machine}`);
  }

  watch(onChange: (model: string, machine: string) => void): () => void {
    // A wrapper, so that one function may watch twice.
    const watcher = (model: string, machine: string): void => onChange(model, machine);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** A connection of this agent was made; an agent that reconnects has two for a while. Returns what ends it. */
  enter(model: string, machine: string): () => void {
    const key = `${model} ${machine}`;
    const count = this.#connections.get(key) ?? 0;
    this.#connections.set(key, count + 1);
    if (count === 0) this.#tell(model, machine);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const rest = this.#connections.get(key)! - 1;
      if (rest > 0) return void this.#connections.set(key, rest);
      this.#connections.delete(key);
      this.#tell(model, machine);
    };
  }

  #tell(model: string, machine: string): void {
    for (const watcher of this.#watchers) watcher(model, machine);
  }
}
