import { isoTime, type Clock } from '../../kit/clock.ts';
import type { Presence } from '../services.ts';

/** Which machine agents are connected, told by the server's sessions. */
export interface AgentPresence extends Presence {
  /** A connection of this agent was made; one that reconnects has two for a while. Returns what ends it. */
  enter(model: string, machine: string): () => void;
}

/** So many who left are remembered with their time; of others it is only known that they have not come. */
const leftMax = 10_000;

export function createPresence(clock: Pick<Clock, 'now'>): AgentPresence {
  const connections = new Map<string, number>();
  const started = isoTime(clock);
  const left = new Map<string, string>();
  const watchers = new Set<{ onChange: (model: string, machine: string) => void }>();
  const tell = (model: string, machine: string): void => {
    for (const { onChange } of watchers) onChange(model, machine);
  };
  return {
    isPresent: (model, machine) => connections.has(`${model} ${machine}`),
    absentSince(model, machine) {
      const key = `${model} ${machine}`;
      return connections.has(key) ? undefined : (left.get(key) ?? started);
    },
    watch(onChange) {
      const watcher = { onChange };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    enter(model, machine) {
      const key = `${model} ${machine}`;
      const count = connections.get(key) ?? 0;
      connections.set(key, count + 1);
      left.delete(key);
      if (count === 0) tell(model, machine);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        const rest = connections.get(key)! - 1;
        if (rest > 0) return void connections.set(key, rest);
        connections.delete(key);
        left.set(key, isoTime(clock));
        const [oldest] = left.size > leftMax ? left.keys() : [];
        if (oldest !== undefined) left.delete(oldest);
        tell(model, machine);
      };
    },
  };
}
