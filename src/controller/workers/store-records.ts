/** Store adapter through which the provisioner sees the records of compute machines. */
import type { Entities } from '../../core/kinds.ts';
import type { MachineView } from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { isHeld } from '../../core/model/restored.ts';
import type { Log } from '../../kit/log.ts';
import type {
  EndStep,
  MachineRecords,
  Prepared,
  StartFailure,
  Started,
  Suspension,
} from '../../provisioning/records.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import type { Store } from '../../store/store.ts';
import { machineView } from '../machine-view.ts';
import type { Services } from '../services.ts';
import { startContext, startParams } from '../start-params.ts';
import { failStart } from '../transactions/instance/fail-start.ts';
import { forgetMachine, killMachine } from '../transactions/end/forget-machine.ts';
import { mayStart, prepareStart, type StartIntent } from '../transactions/instance/prepare-start.ts';
import { recordStart } from '../transactions/instance/record-start.ts';
import { renewMachine } from '../transactions/instance/renew-machine.ts';
import { suspendStarts, suspensionOf } from '../transactions/instance/suspend-starts.ts';
import { networksRefused } from '../../core/network/machine-networks.ts';
import { reportProgress, reportUnreleased } from '../transactions/instance/tell-provisioning.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { MachineZones } from './machine-zones.ts';
import { defined } from '../../core/defined.ts';

const by = 'provisioner';
/** Number of machines whose end one change records. */
const endedAtOnce = 100;

export type RecordsServices = Pick<
  Services,
  | 'agentAddresses'
  | 'agentKey'
  | 'bundles'
  | 'caCert'
  | 'clock'
  | 'environ'
  | 'log'
  | 'presence'
  | 'toolsDir'
  | 'version'
>;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: RecordsServices;
  readonly modelUuid: string;
  readonly zones: MachineZones;
}

export class StoreRecords implements MachineRecords {
  readonly #needs: Needs;
  readonly #log: Log;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.provisioner');
  }

  views(ids: readonly string[]): MachineView[] {
    const view = this.#read();
    const views: MachineView[] = [];
    for (const id of ids) {
      const machine = view.get('machine', id);
      if (machine && machine.parent === undefined) views.push(machineView(view, machine));
    }
    return views;
  }

  all(): string[] {
    return [...this.#read().list('machine')].filter(({ parent }) => parent === undefined).map(({ id }) => id);
  }

  isPresent(id: string): boolean {
    return this.#needs.services.presence.isPresent(this.#needs.modelUuid, id);
  }

  settings(): ReturnType<MachineRecords['settings']> {
    const model = this.#needs.store.read().get('model', this.#needs.modelUuid);
    const config = mergedModelConfig(model?.config ?? {});
    return {
      parallelMax: config['num-provision-workers'],
      harvest: config['provisioner-harvest-mode'],
      othersStay: isHeld(model),
    };
  }

  ready(signal: AbortSignal): Promise<void> {
    const { zones, services, modelUuid } = this.#needs;
    return zones.refresh(services.environ(modelUuid, this.#read()), signal);
  }

  async prepare(ids: readonly string[]): Promise<readonly Prepared[]> {
    const { zones, services } = this.#needs;
    let intended: Intended[];
    try {
      intended = await this.#change((tx) => ids.flatMap((id) => this.#intend(tx, id) ?? []));
    } finally {
      for (const id of ids) zones.endReservation(id);
    }
    const context = await startContext(services, this.#read());
    // The model is gone, and has no machine left.
    if (!context) return [];
    return intended.map((entry): Prepared => {
      if (entry.kind === 'failed') return entry;
      const { intent, ...common } = entry;
      const { isFirst, machine } = intent;
      try {
        const params = startParams(intent, context);
        if (params.networks) this.#mustChooseNetworks();
        return { ...common, kind: 'start', params, isFirst, ran: machine.instance !== undefined };
      } catch (error) {
        if (error instanceof ProviderError) return { ...common, kind: 'failed', error };
        throw error;
      }
    });
  }

  /** Checks that networks can be chosen. Errors: ProviderError `bad request`, for clouds without them. */
  #mustChooseNetworks(): void {
    const { services, modelUuid } = this.#needs;
    if (services.environ(modelUuid, this.#read()).networks) return;
    throw new ProviderError('bad request', networksRefused);
  }

  started(starts: readonly Started[]): Promise<readonly boolean[]> {
    const { services, modelUuid } = this.#needs;
    const profiled = services.environ(modelUuid, this.#read()).profiles !== undefined;
    return this.#change((tx) =>
      starts.map(({ id, nonce, result }) => recordStart(tx, { machine: id, nonce, result, profiled })),
    );
  }

  async failed(machine: string, failure: StartFailure): Promise<void> {
    if (failure.class === 'zonal') this.#needs.zones.invalidate();
    await this.#change((tx) => failStart(tx, { machine, failure }));
  }

  suspension(): Suspension | undefined {
    return suspensionOf(this.#read());
  }

  suspend(suspension: Suspension | undefined): Promise<void> {
    return this.#change((tx) => suspendStarts(tx, suspension));
  }

  say(id: string, message: string): Promise<void> {
    return this.#change((tx) => reportProgress(tx, id, message));
  }

  async end(steps: readonly EndStep[], signal: AbortSignal): Promise<void> {
    await inBatches(steps, endedAtOnce, signal, (batch) =>
      this.#change((tx) => {
        for (const step of batch) applyEndStep(tx, step);
      }),
    );
    const machines = steps.filter(({ kind }) => kind === 'forget').map(({ machineId }) => machineId);
    if (machines.length > 0) this.#log.info('machines removed', { machines });
  }

  unreleased(failures: Parameters<typeof reportUnreleased>[1]): Promise<void> {
    return this.#change((tx) => reportUnreleased(tx, failures));
  }

  /** Intended start of a machine that has a zone or needs none; undefined otherwise. */
  #intend(tx: Tx, id: string): Intended | undefined {
    const { zones, services } = this.#needs;
    const machine = tx.get('machine', id);
    if (!machine || !mayStart(machine)) return undefined;
    const choice = zones.choose(machine);
    const common = choice.zones ? { id, zones: choice.zones } : { id };
    if ('error' in choice) return { ...common, kind: 'failed', error: choice.error };
    const { zone } = choice;
    const intent = prepareStart(tx, {
      machine: id,
      agentKey: services.agentKey,
      ...defined({ zone }),
    });
    return intent && { ...common, kind: 'intent', intent };
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

type Intended =
  | Extract<Prepared, { kind: 'failed' }>
  | (Pick<Prepared, 'id' | 'zones'> & { readonly kind: 'intent'; readonly intent: StartIntent });

function applyEndStep(tx: Tx, step: EndStep): void {
  switch (step.kind) {
    case 'forget':
      return forgetMachine(tx, step.machineId, step.keptInstanceId);
    case 'kill':
      return killMachine(tx, step.machineId);
    case 'renew':
      return renewMachine(tx, step.machineId);
  }
}
