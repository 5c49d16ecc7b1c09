import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { createLog, type Log, type LogSink } from '../../kit/log.ts';
import type { ModelRecord } from '../../wire/agent-records.ts';
import { unitTag } from '../../wire/tags.ts';
import { LeadershipTracker } from '../unit/leadership.ts';
import { runsAfter, type RestoreSeen } from '../unit/restore-seen.ts';
import { stateKeeper, type KeptState } from '../unit/kept-state.ts';
import { SavedState, type UnitState } from '../unit/saved-state.ts';
import { Statuses } from '../unit/statuses.ts';
import { UnitAgent } from '../unit/unit-agent.ts';
import type { UnitHost } from '../unit/unit-host.ts';
import { Timers } from '../unit/world.ts';
import { RestoredUnits, tellState } from './restored-units.ts';
import type { MachineWorld } from './world.ts';

type RestoredRecord = NonNullable<ModelRecord['restored']>;

type Saved = UnitState & { readonly workload: ConstructorParameters<typeof Statuses>[2] };

interface Deployed {
  readonly host: UnitHost;
  readonly agent: UnitAgent;
  readonly state: SavedState;
  readonly since: RestoreSeen;
  readonly statuses: Statuses;
}

/**
 * Runs the agents of the machine's units (unit-agent.md#machine-runs-units). Alive units are started. Dead units are
 * stopped, and their files and records removed. Units that were never deployed and are not alive are removed without
 * being started. Units that the controller does not name any more are removed from the machine.
 */
export class Deployer {
  readonly #world: MachineWorld;
  readonly #deployed = new Map<string, Deployed>();
  /** Units that the mirror named last; their files may be there from an earlier agent, without being deployed yet. */
  #assigned: ReadonlySet<string> = new Set();
  /** Whether the machine has no files of units that are missing in `#deployed` and `#assigned`. */
  #cleaned = false;
  readonly #restored: RestoredUnits;

  constructor(world: MachineWorld) {
    this.#world = world;
    this.#restored = new RestoredUnits(world, this.#deployed);
  }

  /**
   * Starts and stops unit agents as the mirror says; units that are not ready are not started yet, and do not go on
   * after a restore. Errors of one unit do not stop the others; the first is thrown at the end.
   */
  async reconcile(signal: AbortSignal, isReady: (unit: string) => boolean): Promise<void> {
    const { mirror, hosts } = this.#world;
    const restored = mirror.model()?.restored;
    if (restored?.state === 'held') return this.#hold(restored.id, signal);
    const renewed = restored && (await this.#goOn(restored, isReady, signal));
    const assigned = new Set(mirror.unitNames());
    const known = new Set([...this.#deployed.keys(), ...this.#assigned]);
    if (!this.#cleaned) for (const unit of await hosts.list()) known.add(unit);
    const vanished = [...known].filter((unit) => !assigned.has(unit));
    this.#assigned = assigned;
    this.#cleaned = true;
    const outcomes = await Promise.allSettled([
      ...vanished.map((unit) => this.#removeFromMachine(unit)),
      ...[...assigned].map((unit) => this.#attend(unit, isReady(unit) && !renewed?.has(unit), signal)),
    ]);
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failure) return;
    this.#cleaned = false;
    throw failure.reason as Error;
  }

  /** Leaves all as it is until an operator has accepted the restore of the model. */
  async #hold(restore: string, signal: AbortSignal): Promise<void> {
    this.#cleaned = false;
    await this.#restored.hold(restore, signal);
  }

  /**
   * Lets units go on after an accepted restore: where their agents are, or where the backup has them. Returns those
   * that begin anew: the stream shows them next as units that were never here.
   */
  async #goOn(
    { id, state }: RestoredRecord,
    isReady: (unit: string) => boolean,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const ended = await this.#restored.ended(id);
    for (const unit of ended) {
      await this.#removeFromMachine(unit);
      await this.#world.api.call('RenewUnit', { unit }, { signal });
    }
    for (const [unit, deployed] of this.#deployed) {
      if (deployed.since.known === id) continue;
      if (state === 'rerun') {
        this.#deployed.delete(unit);
        await close(deployed);
        continue;
      }
      if (!isReady(unit)) continue;
      if (this.#world.mirror.unit(unit)) {
        await tellState(deployed, id, signal);
        await deployed.statuses.tellAgain(signal);
      }
      deployed.since.known = id;
      deployed.agent.wake();
    }
    return ended;
  }

  wake(): void {
    for (const { agent } of this.#deployed.values()) agent.wake();
  }

  /** Returns the running agent of a unit. Errors: `not found`. */
  agent(unit: string): Pick<UnitAgent, 'run'> {
    const deployed = this.#deployed.get(unit);
    if (!deployed) throw new JujuError('not found', `unit ${JSON.stringify(unit)} not found on this machine`);
    return deployed.agent;
  }

  get units(): readonly string[] {
    return [...this.#deployed.keys()];
  }

  /** Stops all unit agents; their files stay for the next machine agent. */
  async stop(): Promise<void> {
    await Promise.all([...this.#deployed.values()].map((deployed) => close(deployed)));
    this.#deployed.clear();
  }

  async #attend(unit: string, isReady: boolean, signal: AbortSignal): Promise<void> {
    const { mirror, api } = this.#world;
    const record = mirror.unit(unit);
    if (!record) return;
    if (
      record.life === 'dead' ||
      (record.life === 'dying' && !record.deployed && !this.#deployed.has(unit))
    ) {
      await this.#removeFromMachine(unit);
      await api.call('RemoveUnit', { unit }, { signal });
    } else if (isReady && !this.#deployed.has(unit)) {
      await this.#deploy(unit, record.deployed, signal);
    }
  }

  async #deploy(unit: string, wasDeployed: boolean, signal: AbortSignal): Promise<void> {
    const { api, hosts, log } = this.#world;
    const sink = this.#world.sinkOf(unitTag(unit));
    const unitLog = createLog('grigri.unit', sink, () => this.#world.clock.now());
    const restore = this.#restore;
    const kept = await this.#restored.keptBefore(unit, signal);
    const isNew = !wasDeployed && !kept;
    if (isNew) await this.#setWorkload(unit, waiting('installing agent'), signal);
    const host = await hosts.open(unit, unitLog);
    const workload = isNew ? waiting('agent initialising') : kept?.workload;
    let saved: Saved;
    try {
      saved = await api.call('UnitDeployed', { unit }, { signal });
      if (workload) {
        await this.#setWorkload(unit, workload, signal);
        saved = { ...saved, workload: { ...workload, data: {} } };
      }
    } catch (error) {
      await host.close();
      if (!hasCode(error, 'dead')) throw error;
      // The unit was removed meanwhile: it is removed here without having been started as soon as the stream says so.
      this.#cleaned = false;
      return;
    }
    // A call has waited until the controller was restored: a backup's state replaces nothing that the machine keeps.
    if (this.#restore !== restore) return host.close();
    const deployed = { host, ...this.#start(unit, host, saved, unitLog, sink) };
    this.#deployed.set(unit, deployed);
    await deployed.state.keepHere();
    log.info('deployed unit', { unit });
  }

  #start(unit: string, host: UnitHost, saved: Saved, log: Log, sink: LogSink): Omit<Deployed, 'host'> {
    const { mirror, api, clock, random } = this.#world;
    const application = mirror.unit(unit)?.application ?? '';
    const holder = (): string => mirror.leader(application)?.holder ?? '';
    const statuses = new Statuses(unit, api, saved.workload, () => state.keepHere());
    const since: RestoreSeen = { known: this.#restore };
    const keep = stateKeeper(host, log);
    const state = new SavedState(unit, api, saved, (of) =>
      keep({ ...of, workload: statuses.workload, ...defined({ restore: since.known }) }),
    );
    const agent = new UnitAgent(
      {
        ...this.#world,
        unit,
        host,
        log,
        output: (name, level, message) =>
          sink({ time: new Date(clock.now()).toISOString(), level, module: `unit.${unit}.${name}`, message }),
        state,
        runsAfter: () => runsAfter(mirror.model()?.restored, since),
        statuses,
        leadership: new LeadershipTracker({ unit, api, clock, holder }),
        timers: new Timers(clock, random),
      },
      random,
    );
    return { agent, state, since, statuses };
  }

  /** The last restore of the model, by its id. */
  get #restore(): string | undefined {
    return this.#world.mirror.model()?.restored?.id;
  }

  async #setWorkload(unit: string, workload: KeptState['workload'], signal: AbortSignal): Promise<void> {
    const { status, message } = workload;
    await this.#world.api.call('SetStatus', { kind: 'workload', unit, status, message }, { signal });
  }

  /** Stops the unit's agent, when one runs, and removes all files of the unit. */
  async #removeFromMachine(unit: string): Promise<void> {
    const { hosts, log } = this.#world;
    const deployed = this.#deployed.get(unit);
    this.#deployed.delete(unit);
    if (deployed) await close(deployed);
    else if (!(await hosts.list()).includes(unit)) return;
    const host = deployed?.host ?? (await hosts.open(unit, log));
    if (!deployed) await host.close();
    await host.remove();
    log.info('removed unit', { unit });
  }
}

function waiting(message: string): KeptState['workload'] {
  return { status: 'waiting', message };
}

async function close({ host, agent }: Deployed): Promise<void> {
  await agent.stop();
  await host.close();
}
