/** The records of the compute machines, in the store, as the provisioner sees them. */
import type { Entities } from '../../core/kinds.ts';
import type { HarvestMode } from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import type { EndStep, MachineRecords, Prepared } from '../../provisioning/records.ts';
import type { Store } from '../../store/store.ts';
import { machineView } from '../machine-view.ts';
import type { Services } from '../services.ts';
import { startContext, startParams } from '../start-params.ts';
import { failStart } from '../transactions/fail-start.ts';
import { forgetMachine, killMachine } from '../transactions/forget-machine.ts';
import { mayStart, prepareStart, type StartIntent } from '../transactions/prepare-start.ts';
import { recordStart } from '../transactions/record-start.ts';
import { renewMachine } from '../transactions/renew-machine.ts';
import { suspendStarts, suspensionOf } from '../transactions/suspend-starts.ts';
import { tellProgress, tellUnreleased } from '../transactions/tell-provisioning.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { MachineZones } from './machine-zones.ts';

const by = 'provisioner';
/** Machines whose end one change records. */
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

export function createStoreRecords({
  store,
  services,
  modelUuid,
  zones,
}: {
  readonly store: Store<Entities>;
  readonly services: RecordsServices;
  readonly modelUuid: string;
  readonly zones: MachineZones;
}): MachineRecords {
  const read = (): View => store.read().in(modelUuid);
  const change = <T>(fn: (tx: Tx) => T): Promise<T> => store.change((tx) => fn(tx.in(modelUuid)), by);
  const log = services.log.module('grigri.provisioner');
  /** Read for each start: the configuration is merged when it changes. */
  let settings: { readonly of: object; readonly are: ReturnType<MachineRecords['settings']> } | undefined;

  /** Those that have a zone, or need none. */
  function intend(tx: Tx, id: string): Intended | undefined {
    const machine = tx.get('machine', id);
    if (!machine || !mayStart(machine)) return undefined;
    const choice = zones.choose(machine);
    const more = choice.zones ? { id, zones: choice.zones } : { id };
    if ('error' in choice) return { ...more, kind: 'failed', error: choice.error };
    const { zone } = choice;
    const intent = prepareStart(tx, {
      machine: id,
      agentKey: services.agentKey,
      ...(zone === undefined ? {} : { zone }),
    });
    if (!intent) return undefined;
    return { ...more, kind: 'intent', intent };
  }

  async function prepare(ids: readonly string[]): Promise<readonly Prepared[]> {
    let intended: Intended[];
    try {
      intended = await change((tx) => ids.flatMap((id) => intend(tx, id) ?? []));
    } finally {
      for (const id of ids) zones.settled(id);
    }
    const context = await startContext(services, read());
    // The model goes, and has no machine left.
    if (!context) return [];
    return intended.map((one): Prepared => {
      if (one.kind === 'failed') return one;
      const { intent, ...more } = one;
      const { isFirst, machine } = intent;
      const params = startParams(intent, context);
      return { ...more, kind: 'start', params, isFirst, ran: machine.instance !== undefined };
    });
  }

  return {
    views(ids) {
      const view = read();
      return ids.flatMap((id) => {
        const machine = view.get('machine', id);
        return machine && machine.parent === undefined ? machineView(view, machine) : [];
      });
    },
    all: () => [...read().list('machine')].filter(({ parent }) => parent === undefined).map(({ id }) => id),
    isPresent: (id) => services.presence.isPresent(modelUuid, id),
    settings() {
      const own = store.read().get('model', modelUuid)?.config ?? {};
      if (settings?.of !== own) settings = { of: own, are: settingsOf(own) };
      return settings.are;
    },
    ready: (signal) => zones.refresh(services.environ(modelUuid, read()), signal),
    prepare,
    started: (starts) =>
      change((tx) => starts.map(({ id, nonce, result }) => recordStart(tx, { machine: id, nonce, result }))),
    async failed(machine, failure) {
      if (failure.class === 'zonal') zones.doubt();
      await change((tx) => failStart(tx, { machine, failure }));
    },
    suspension: () => suspensionOf(read()),
    suspend: (suspension) => change((tx) => suspendStarts(tx, suspension)),
    say: (id, message) => change((tx) => tellProgress(tx, id, message)),
    async end(steps, signal) {
      await inBatches(steps, endedAtOnce, signal, (some) =>
        change((tx) => {
          for (const step of some) endOne(tx, step);
        }),
      );
      const forgotten = steps.filter(({ kind }) => kind === 'forget').map(({ machineId }) => machineId);
      if (forgotten.length > 0) log.info('machines removed', { machines: forgotten });
    },
    unreleased: (failures) => change((tx) => tellUnreleased(tx, failures)),
  };
}

type Intended =
  | Extract<Prepared, { kind: 'failed' }>
  | (Pick<Prepared, 'id' | 'zones'> & { readonly kind: 'intent'; readonly intent: StartIntent });

function endOne(tx: Tx, step: EndStep): void {
  switch (step.kind) {
    case 'forget':
      return forgetMachine(tx, step.machineId, step.keptInstanceId);
    case 'kill':
      return killMachine(tx, step.machineId);
    case 'renew':
      return renewMachine(tx, step.machineId);
  }
}

function settingsOf(own: Readonly<Record<string, unknown>>): ReturnType<MachineRecords['settings']> {
  const config = mergedModelConfig(own);
  return {
    parallelMax: config['num-provision-workers'] as number,
    harvest: config['provisioner-harvest-mode'] as HarvestMode,
  };
}
