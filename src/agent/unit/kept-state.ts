/**
 * State of a unit's agent as its machine keeps it. The controller's counts, until that is restored from an older backup
 * (backups.md#after-a-restore).
 */
import type { Log } from '../../kit/log.ts';
import type { AgentApi } from '../uplink.ts';
import type { UnitState } from './saved-state.ts';
import type { UnitHost, UnitHosts } from './unit-host.ts';

export interface KeptState extends UnitState {
  /** The last restore that the agent knew of, by its id; absent = it knew of none. */
  readonly restore?: string;
  readonly workload: { readonly status: string; readonly message: string };
}

/** Returns a function that makes the machine keep a state, after the earlier ones, when it differs from what it has. */
export function stateKeeper(
  host: Pick<UnitHost, 'saveState'>,
  log: Log,
): (state: KeptState) => Promise<void> {
  let kept = '';
  let last = Promise.resolve();
  const keep = async (text: string): Promise<void> => {
    if (text === kept) return;
    kept = '';
    try {
      await host.saveState(text);
      kept = text;
    } catch (error) {
      log.warning('the machine could not keep the state of the unit', { error });
    }
  };
  return (state) => {
    const text = JSON.stringify(state);
    last = last.then(() => keep(text));
    return last;
  };
}

/** Tells a restored controller what earlier agents of the machine's units have kept. */
export class KeptStates {
  readonly #api: AgentApi;
  readonly #hosts: Pick<UnitHosts, 'savedState'>;
  /** Restore and name of the units whose state was told. */
  readonly #told = new Set<string>();

  constructor({ api, hosts }: { readonly api: AgentApi; readonly hosts: Pick<UnitHosts, 'savedState'> }) {
    this.#api = api;
    this.#hosts = hosts;
  }

  /** Returns the unit's state from before the restore; undefined when there is none. */
  async before(unit: string, restore: string): Promise<KeptState | undefined> {
    const kept = parse(await this.#hosts.savedState(unit));
    return kept?.restore === restore ? undefined : kept;
  }

  /** Tells the unit's state once. Returns it; undefined when there is none from before the restore. */
  async tell(unit: string, restore: string, signal: AbortSignal): Promise<KeptState | undefined> {
    const kept = await this.before(unit, restore);
    if (!kept) return undefined;
    const key = `${restore} ${unit}`;
    const { agentState, charmState } = kept;
    if (!this.#told.has(key))
      await this.#api.call('KeepState', { unit, restore, agentState, charmState }, { signal });
    this.#told.add(key);
    return kept;
  }
}

function parse(text = ''): KeptState | undefined {
  try {
    const kept = JSON.parse(text) as Partial<KeptState> | null;
    return kept?.agentState && kept.charmState && kept.workload ? (kept as KeptState) : undefined;
  } catch {
    // The controller's state is there; only after a restore would this one tell more.
    return undefined;
  }
}
