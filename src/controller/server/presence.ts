import type { Presence } from '../services.ts';

/** Which machine agents are connected, told by the server's sessions. */
export interface AgentPresence extends Presence {
  /** A connection of this agent was made; one that reconnects has two for a while. Returns what ends it. */
  enter(model: string, machine: string): () => void;
}

export function createPresence(): AgentPresence {
  const connections = new Map<string, number>();
  const watchers = new Set<{ onChange: (model: string, machine: string) => void }>();
  const tell = (model: string, machine: string): void => {
    for (const { onChange } of watchers) onChange(model, machine);
  };
  return {
    isPresent: (model, machine) => connections.has(`${model} ${machine}`),
    watch(onChange) {
      const watcher = { onChange };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    enter(model, machine) {
      const key = `${model} ${machine}`;
      const count = connections.get(key) ?? 0;
      connections.set(key, count + 1);
      if (count === 0) tell(model, machine);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const rest = connections.get(key)! - 1;
        if (rest > 0) return void connections.set(key, rest);
        connections.delete(key);
        tell(model, machine);
      };
    },
  };
}
