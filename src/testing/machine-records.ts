import type { MachineView } from '../core/machine/plan-provisioning.ts';
import { systemClock } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import { tagKeys, type Environ, type StartParams } from '../providers/contract/provider.ts';
import { createSimulatedProvider, type SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import type {
  EndStep,
  MachineRecords,
  Prepared,
  StartFailure,
  Started,
  Suspension,
} from '../provisioning/records.ts';

/** Records of machines in memory, for a provisioner without a controller; `told` has the statuses set for them. */
export class MemoryRecords implements MachineRecords {
  readonly machines = new Map<string, MachineView>();
  readonly told: string[] = [];
  readonly failures = new Map<string, StartFailure>();
  parallelMax = 16;
  now: Suspension | undefined;
  #nonces = 0;

  add(id: string, view: Partial<MachineView> = {}): void {
    this.machines.set(id, { id, life: 'alive', ...view });
  }

  views(ids: readonly string[]): MachineView[] {
    return ids.flatMap((id) => this.machines.get(id) ?? []);
  }

  all(): string[] {
    return [...this.machines.keys()];
  }

  isPresent(): boolean {
    return false;
  }

  settings(): ReturnType<MachineRecords['settings']> {
    return { parallelMax: this.parallelMax, harvest: 'destroyed', othersStay: false };
  }

  prepare(ids: readonly string[]): Promise<Prepared[]> {
    const starts = ids.flatMap((id): Prepared[] => {
      const machine = this.machines.get(id);
      if (machine?.life !== 'alive') return [];
      const nonce = machine.nonce ?? `nonce-${++this.#nonces}`;
      this.machines.set(id, { ...machine, nonce });
      const params = paramsOf(id, nonce);
      return [{ id, kind: 'start', params, isFirst: machine.nonce === undefined, ran: false }];
    });
    return Promise.resolve(starts);
  }

  started(starts: readonly Started[]): Promise<boolean[]> {
    return Promise.resolve(
      starts.map(({ id, nonce, result }) => {
        const machine = this.machines.get(id);
        if (machine?.nonce !== nonce) return false;
        this.machines.set(id, { ...machine, instanceId: result.instance.id });
        return true;
      }),
    );
  }

  failed(id: string, failure: StartFailure): Promise<void> {
    this.failures.set(id, failure);
    if (failure.next.kind === 'never') this.machines.set(id, { ...this.machines.get(id)!, failed: true });
    return Promise.resolve();
  }

  suspension(): Suspension | undefined {
    return this.now;
  }

  suspend(suspension: Suspension | undefined): Promise<void> {
    this.now = suspension;
    this.told.push(suspension ? `suspended: ${suspension.message}, next ${suspension.at}` : 'resumed');
    return Promise.resolve();
  }

  say(id: string, message: string): Promise<void> {
    this.told.push(`${id}: ${message}`);
    return Promise.resolve();
  }

  end(steps: readonly EndStep[]): Promise<void> {
    for (const { kind, machineId } of steps) {
      const machine = this.machines.get(machineId)!;
      if (kind === 'forget') this.machines.delete(machineId);
      else if (kind === 'kill') this.machines.set(machineId, { ...machine, life: 'dead' });
      else this.machines.set(machineId, { id: machineId, life: machine.life });
    }
    return Promise.resolve();
  }

  unreleased(failures: readonly { readonly id: string; readonly message: string }[]): Promise<void> {
    for (const { id, message } of failures) this.told.push(`${id} not released: ${message}`);
    return Promise.resolve();
  }
}

/** Returns the parameters of a machine's start. */
export function paramsOf(machineId: string, nonce: string): Omit<StartParams, 'progress'> {
  return {
    machineId,
    nonce,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: {},
    tags: { [tagKeys.machine]: machineId, [tagKeys.nonce]: nonce },
    agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.28' },
  };
}

/** Creates a cloud without zones and faults, for one model, and a provisioner's broker for it. */
export function brokerOf(cloud: SimulatedCloud): Environ {
  return createSimulatedProvider(cloud).open({
    cloud: { name: 'sim', type: 'simulated', region: '', endpoint: '', config: {} },
    config: { 'latency-ms': 0 },
    controllerUuid: '00000000-0000-4000-8000-000000000001',
    modelUuid: '00000000-0000-4000-8000-000000000002',
    modelName: 'default',
    stateDir: '',
    clock: systemClock,
    log: silentLog,
  });
}
