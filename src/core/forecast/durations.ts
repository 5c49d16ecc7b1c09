/** Durations of hooks and starts, as a model's history shows them (forecasts.md#durations). */
import { defined } from '../defined.ts';
import type { PastChange } from '../history/past-change.ts';
import type { StatusDoc } from '../status/document.ts';
import { hostOf, unitApplication } from '../names.ts';

/** Milliseconds of what took time: the middle one of those that are known. */
export interface KnownDurations {
  /** `mysql install` → of that hook in units of that application. */
  readonly hooks: Readonly<Record<string, number>>;
  /** From the request until the cloud has the instance. */
  readonly start?: number;
  /** From then until the machine's agent has started. */
  readonly boot?: number;
  /** The same of containers. */
  readonly containerStart?: number;
  readonly containerBoot?: number;
  readonly seen: SeenDurations;
}

/** Number of durations that are known. */
export interface SeenDurations {
  /** Hooks, each of one application, and their runs. */
  readonly hooks: number;
  readonly runs: number;
  /** Starts and boots of machines, and of containers. */
  readonly starts: number;
  readonly boots: number;
  readonly containerStarts: number;
  readonly containerBoots: number;
}
/** Starts of machines or of containers. */
class Starts {
  readonly starts: number[] = [];
  readonly boots: number[] = [];
}

/** Number of durations of one hook, or of starts, that are enough. */
const enough = 50;

/** Collects durations from changes, newest first. */
export class DurationsOfPast {
  readonly #hooks = new Map<string, number[]>();
  readonly #machines = new Starts();
  readonly #containers = new Starts();
  /** When the agent of a machine started, until its instance's start is met. */
  readonly #agents = new Map<string, number>();

  see(change: PastChange): void {
    if (change.kind !== 'status' || !change.after) return;
    const { before, after } = change;
    if (after.kind === 'machine-agent' && after.status === 'started' && before?.status !== 'started')
      this.#agents.set(after.entity, Date.parse(after.since));
    if (!before) return;
    if (after.kind === 'unit-agent') this.#hook(before, after);
    if (after.kind === 'instance' && after.status === 'running' && before.status === 'allocating')
      this.#started(before, after);
  }

  known(): KnownDurations {
    const hooks = Object.fromEntries([...this.#hooks].map(([key, all]) => [key, middle(all)!]));
    const [machines, containers] = [this.#machines, this.#containers];
    return {
      hooks,
      ...defined({
        start: middle(machines.starts),
        boot: middle(machines.boots),
        containerStart: middle(containers.starts),
        containerBoot: middle(containers.boots),
      }),
      seen: {
        hooks: this.#hooks.size,
        runs: [...this.#hooks.values()].reduce((sum, { length }) => sum + length, 0),
        starts: machines.starts.length,
        boots: machines.boots.length,
        containerStarts: containers.starts.length,
        containerBoots: containers.boots.length,
      },
    };
  }

  #hook(before: StatusDoc, after: StatusDoc): void {
    // Of a hook that is followed by another at once the status changes from one to the other.
    const hook = /^running (\S+) hook/.exec(before.status === 'executing' ? before.message : '')?.[1];
    if (hook === undefined || after.status === 'rebooting') return;
    const key = hookKey(unitApplication(after.entity), hook);
    const all = this.#hooks.get(key);
    const took = Date.parse(after.since) - Date.parse(before.since);
    if (!all) this.#hooks.set(key, [took]);
    else if (all.length < enough) all.push(took);
  }

  #started(before: StatusDoc, after: StatusDoc): void {
    const at = Date.parse(after.since);
    const { starts, boots } = hostOf(after.entity) === after.entity ? this.#machines : this.#containers;
    if (starts.length < enough) starts.push(at - Date.parse(before.since));
    const agent = this.#agents.get(after.entity);
    this.#agents.delete(after.entity);
    if (agent !== undefined && agent >= at && boots.length < enough) boots.push(agent - at);
  }
}

/** Key of a hook's duration. */
export function hookKey(application: string, hook: string): string {
  return `${application} ${hook}`;
}

function middle(all: readonly number[]): number | undefined {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
}
