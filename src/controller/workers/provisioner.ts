/** Provisioner of a model's compute machines: the events that it listens to, and its parts. */
import type { Entities } from '../../core/kinds.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { isHeld } from '../../core/model/restored.ts';
import { Provisioner } from '../../provisioning/provisioner.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { noMachines, watchMachines, type Concerns } from './dirty-machines.ts';
import { MachineZones } from './machine-zones.ts';
import type { ModelWorker } from './model-worker.ts';
import { StoreRecords, type RecordsServices } from './store-records.ts';

/**
 * Instance statuses that wake the provisioner: retry-provisioning makes a failed start pending again; a lost instance
 * does not keep a dying machine; a stopped instance, whose agent may never have come, is started again.
 */
const wakingStatuses = ['pending', 'lost', 'stopped'];

interface ProvisionerNeeds {
  readonly store: Store<Entities>;
  readonly services: RecordsServices & Pick<Services, 'random' | 'dispatch' | 'nextTurn'>;
  readonly modelUuid: string;
  /** Wakes the reconciler again. */
  readonly wake: () => void;
}

export class MachineProvisioner implements ModelWorker {
  readonly #provisioner: Provisioner;
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: ProvisionerNeeds) {
    const { store, services, modelUuid, wake } = needs;
    const zones = new MachineZones(needs);
    this.#provisioner = new Provisioner({
      records: new StoreRecords({ ...needs, zones }),
      broker() {
        const view = store.read().in(modelUuid);
        return view.in('').get('model', modelUuid) && services.environ(modelUuid, view);
      },
      clock: services.clock,
      random: services.random,
      log: services.log.module('grigri.provisioner'),
      wake,
    });
    this.#subscriptions = [
      () => zones.stop(),
      watchMachines({ ...needs, concerns }, (ids) => this.#provisioner.look(ids)),
      ...onMachines(this.#provisioner, needs),
      ...onAccount(this.#provisioner, needs),
    ];
  }

  pass(signal: AbortSignal): Promise<void> {
    return this.#provisioner.pass(signal);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }
}

const concerns: Concerns = {
  machine: ({ id }) => [id],
  // The end of a unit may be what a dying machine waited for.
  unit: ({ machine }, _, __, isRemoved) => (isRemoved && machine !== undefined ? [machine] : noMachines),
  status: ({ kind, status, entity }) =>
    kind === 'instance' && wakingStatuses.includes(status) ? [entity] : noMachines,
};

/** Subscribes to events of one machine besides its own changes. */
function onMachines(
  provisioner: Provisioner,
  { services: { dispatch, presence }, modelUuid }: ProvisionerNeeds,
): (() => void)[] {
  return [
    // `resolved --constraints` abandons an attempt, `reprovision-machine` one that has an instance.
    dispatch.on(modelUuid, 'machine', ({ before, after }) => {
      if (before?.nonce && after?.nonce && before.nonce !== after.nonce) provisioner.giveUp(after.id);
    }),
    // `resolved` and `retry-provisioning` end the wait for the next attempt.
    dispatch.on(modelUuid, 'status', ({ before, after }) => {
      if (after?.kind === 'instance' && after.status === 'pending' && before?.data?.['next'] !== undefined)
        provisioner.retry(after.entity);
    }),
    presence.watch((model, machine) => {
      if (model === modelUuid && !presence.isPresent(model, machine)) provisioner.absent(machine);
    }),
  ];
}

/** Subscribes to changes of the model, its credential and its cloud: starts that wait for them may go on. */
function onAccount(
  provisioner: Provisioner,
  { store, services: { dispatch }, modelUuid }: ProvisionerNeeds,
): (() => void)[] {
  return [
    dispatch.on('', `model ${modelUuid}`, ({ before, after }) => {
      if (!before || !after) return;
      const key = 'provisioner-harvest-mode';
      const isOther = mergedModelConfig(before.config)[key] !== mergedModelConfig(after.config)[key];
      if (isOther || isHeld(before) !== isHeld(after)) provisioner.lookAtAll();
      if (before.credential !== after.credential) provisioner.probe('credential');
    }),
    dispatch.on('', 'credential', ({ id }) => {
      if (store.read().get('model', modelUuid)?.credential === id) provisioner.probe('credential');
    }),
    dispatch.on('', 'cloud', ({ id }) => {
      if (store.read().get('model', modelUuid)?.cloud === id) provisioner.probe('credential');
    }),
  ];
}
