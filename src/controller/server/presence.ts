import { isoTime, type Clock } from '../../kit/clock.ts';
import type { Presence } from '../services.ts';

interface AgentConnection {
  readonly superseded: () => void;
  /** Time at which the agent was heard last, in milliseconds of the clock. */
  readonly heardAt: () => number;
}

/** Presence of machine agents, updated by the server's sessions. */
export interface AgentPresence extends Presence {
  /**
   * Adds a connection of this agent. An earlier connection that is still open is `superseded`: its late requests were
   * repeated on the new one, and must not run after those. Returns a function that ends the connection.
   */
  enter(model: string, machine: string, connection: AgentConnection): () => void;
}

/** Milliseconds after the controller's start in which agents connect again. */
const returnMs = 60_000;
/** Maximum number of absent agents whose time is remembered; the others count as never connected. */
const absentMax = 10_000;

export function createPresence(clock: Pick<Clock, 'now'>): AgentPresence {
  const connections = new Map<string, AgentConnection>();
  const started = isoTime(clock);
  const returnedAt = clock.now() + returnMs;
  const disconnectedAt = new Map<string, string>();
  const watchers = new Set<{ onChange: (model: string, machine: string) => void }>();
  const notify = (model: string, machine: string): void => {
    for (const { onChange } of watchers) onChange(model, machine);
  };
  return {
    isPresent: (model, machine) => connections.has(`${model} ${machine}`),
    absentSince(model, machine) {
      const key = `${model} ${machine}`;
      return connections.has(key) ? undefined : (disconnectedAt.get(key) ?? started);
    },
    isAwaited(model, machine) {
      const key = `${model} ${machine}`;
      return clock.now() < returnedAt && !connections.has(key) && !disconnectedAt.has(key);
    },
    heardAt(model, machine) {
      const at = connections.get(`${model} ${machine}`)?.heardAt();
      return at === undefined ? undefined : new Date(at).toISOString();
    },
    watch(onChange) {
      const watcher = { onChange };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    enter(model, machine, connection) {
      const key = `${model} ${machine}`;
      const previous = connections.get(key);
      connections.set(key, connection);
      disconnectedAt.delete(key);
      if (previous) previous.superseded();
      else notify(model, machine);
      return () => {
        if (connections.get(key) !== connection) return;
        connections.delete(key);
        disconnectedAt.set(key, isoTime(clock));
        const [oldest] = disconnectedAt.size > absentMax ? disconnectedAt.keys() : [];
        if (oldest !== undefined) disconnectedAt.delete(oldest);
        notify(model, machine);
      };
    },
  };
}
