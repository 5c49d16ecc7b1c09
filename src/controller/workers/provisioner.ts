/** The provisioner of a model's compute machines: what changes in the store, and who answers for it. */
import type { Entities } from '../../core/kinds.ts';
import type { StatusDoc } from '../../core/status/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { createProvisioner as createGenericProvisioner } from '../../provisioning/provisioner.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { none, watchMachines } from './dirty-machines.ts';
import { MachineZones } from './machine-zones.ts';
import { createStoreRecords, type RecordsServices } from './store-records.ts';

/**
 * retry-provisioning makes a failed start pending again; a lost instance keeps no dying machine; a stopped one is
 * started again, whose agent may never have come.
 */
const noteworthy = ['pending', 'lost', 'stopped'];

export interface ProvisionerNeeds {
  readonly store: Store<Entities>;
  readonly services: RecordsServices & Pick<Services, 'random' | 'dispatch' | 'nextTurn'>;
  readonly modelUuid: string;
  /** Wakes the reconciler again. */
  readonly wake: () => void;
}

export function createProvisioner(needs: ProvisionerNeeds): {
  pass: (signal: AbortSignal) => Promise<void>;
  stop: () => void;
} {
  const { store, services, modelUuid, wake } = needs;
  const { clock, random, presence, dispatch } = services;
  const zones = new MachineZones(needs);
  const provisioner = createGenericProvisioner({
    records: createStoreRecords({ ...needs, zones }),
    broker() {
      const view = store.read().in(modelUuid);
      return view.in('').get('model', modelUuid) && services.environ(modelUuid, view);
    },
    clock,
    random,
    log: services.log.module('grigri.provisioner'),
    wake,
  });
  const ends = [
    () => zones.stop(),
    watchMachines(
      {
        ...needs,
        concerns: {
          machine: ({ id }) => [id],
          // A unit's end may be what a dying machine waited for.
          unit: ({ machine }: UnitDoc, _, __, isGone) => (isGone && machine !== undefined ? [machine] : none),
          status: (status: StatusDoc) =>
            status.kind === 'instance' && noteworthy.includes(status.status) ? [status.entity] : none,
        },
      },
      (ids) => provisioner.look(ids),
    ),
    // resolved --constraints gives an attempt up, reprovision-machine one that has an instance.
    dispatch.on(modelUuid, 'machine', ({ before: was, after: is }) => {
      if (was?.nonce && is?.nonce && was.nonce !== is.nonce) provisioner.giveUp(is.id);
    }),
    // resolved and retry-provisioning end a wait for the next attempt.
    dispatch.on(modelUuid, 'status', ({ before: was, after: is }) => {
      if (is?.kind === 'instance' && is.status === 'pending' && was?.data?.['next'] !== undefined)
        provisioner.retry(is.entity);
    }),
    presence.watch((model, machine) => {
      if (model === modelUuid && !presence.isPresent(model, machine)) provisioner.absent(machine);
    }),
    dispatch.on('', `model ${modelUuid}`, ({ before: was, after: is }) => {
      if (!was || !is) return;
      const key = 'provisioner-harvest-mode';
      if (mergedModelConfig(was.config)[key] !== mergedModelConfig(is.config)[key]) provisioner.lookAtAll();
      if (was.credential !== is.credential) provisioner.probe('credential');
    }),
    dispatch.on('', 'credential', ({ id }) => {
      if (store.read().get('model', modelUuid)?.credential === id) provisioner.probe('credential');
    }),
    dispatch.on('', 'cloud', ({ id }) => {
      if (store.read().get('model', modelUuid)?.cloud === id) provisioner.probe('credential');
    }),
  ];

  return {
    pass: (signal) => provisioner.pass(signal),
    stop() {
      for (const end of ends) end();
    },
  };
}
