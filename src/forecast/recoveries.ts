/** What a forecast tells of events that pass by themselves, such as a reboot: when all is back, and which hooks ran. */
import { formatDuration } from '../core/duration.ts';
import type { HookEvent } from './world/behaviour.ts';

/** Milliseconds without a hook after which no other is expected. */
const quietMs = 10_000;
/** Milliseconds after which a connection that was cut off is one that has held. */
const heldMs = 120_000;
/** Milliseconds for which agents are waited for once the controller is back. */
const agentsMs = 60_000;
/** Maximum number of hooks that a line names. */
const hooksMax = 10;

interface RecoveringWorld {
  readonly now: () => number;
  /** Tells a line of a time that may be past. */
  readonly tell: (entity: string, what: string, at: number) => void;
  /** Whether the agents of machines are connected that should be; 'down' = the controller is not up. */
  readonly agents: () => 'down' | { readonly connected: number; readonly all: number };
}

/** A machine whose agent comes back. */
interface Returning {
  readonly since: number;
  /** When a connection that has held was to be over. */
  readonly heldAt: number | undefined;
  connectedAt?: number;
  lastAt: number;
  readonly running: Set<string>;
  readonly hooks: string[];
}

/** The controller, which starts again. */
interface Restart {
  readonly since: number;
  backAt?: number;
  connectedAt?: number;
}

export class Recoveries {
  readonly #world: RecoveringWorld;
  readonly #machines = new Map<string, Returning>();
  #restart: Restart | undefined;

  constructor(world: RecoveringWorld) {
    this.#world = world;
  }

  /** Expects the agent of a machine to come back. `cutMs`: for how long it is cut off; absent = it starts again. */
  expectAgent(machine: string, cutMs?: number): void {
    const since = this.#world.now();
    const heldAt = cutMs === undefined ? undefined : since + cutMs + heldMs;
    this.#machines.set(machine, { since, heldAt, lastAt: since, running: new Set(), hooks: [] });
  }

  expectController(): void {
    this.#restart = { since: this.#world.now() };
  }

  /** Whether a cut or a start of the controller lasts, or hooks of an agent that is back are awaited. */
  get isWaiting(): boolean {
    const all = [...this.#machines.values()];
    const some = all.some(({ connectedAt, heldAt }) => connectedAt !== undefined || heldAt !== undefined);
    return some || this.#restart !== undefined;
  }

  /** Notes that the agent has connected. */
  connected(machine: string): void {
    const now = this.#world.now();
    const one = this.#machines.get(machine);
    if (one) one.connectedAt ??= now;
    if (this.#restart) this.#restart.connectedAt = now;
  }

  /** Notes a hook. */
  ran({ machine, phase, unit, name, result }: HookEvent): void {
    const one = this.#machines.get(machine);
    if (!one) return;
    one.lastAt = this.#world.now();
    if (phase === 'begin') return void one.running.add(unit);
    one.running.delete(unit);
    if (result !== 'aborted') one.hooks.push(`${unit} ${name}${result === 'failed' ? ' (fails)' : ''}`);
  }

  /** Tells what has come back by now. */
  look(): void {
    for (const [machine, one] of this.#machines)
      if (this.#isTold(`machine ${machine}`, one)) this.#machines.delete(machine);
    if (this.#restart && this.#isRestarted(this.#restart)) this.#restart = undefined;
  }

  #isTold(entity: string, { since, heldAt, connectedAt, lastAt, running, hooks }: Returning): boolean {
    const { now, tell } = this.#world;
    if (connectedAt === undefined) {
      if (heldAt === undefined || now() < heldAt) return false;
      tell(entity, 'its agent has kept its connection', heldAt - heldMs);
      return true;
    }
    const at = Math.max(connectedAt, lastAt);
    if (running.size > 0 || now() - at < quietMs) return false;
    const more = hooks.length > hooksMax ? ` and ${hooks.length - hooksMax} more` : '';
    const ran =
      hooks.length === 0 ? 'no hook ran' : `hooks run: ${hooks.slice(0, hooksMax).join(', ')}${more}`;
    tell(entity, `its agent is back after ${duration(connectedAt - since)}; ${ran}`, at);
    return true;
  }

  #isRestarted(restart: Restart): boolean {
    const { now, tell, agents: look } = this.#world;
    const agents = look();
    if (agents === 'down') return false;
    restart.backAt ??= now();
    const { since, backAt, connectedAt = backAt } = restart;
    const { connected, all } = agents;
    if (connected < all && now() - backAt < agentsMs) return false;
    const which = connected === all ? `the agents of ${all}` : `the agents of ${connected} of ${all}`;
    const back = all === 0 ? '' : `, and ${which} machines after ${duration(connectedAt - since)}`;
    tell('controller', `is back after ${duration(backAt - since)}${back}`, Math.max(backAt, connectedAt));
    return true;
  }
}

function duration(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms / 1000)) * 1000);
}
