import type { machineAgent as spec } from '../../../wire/facades/machine-agent.ts';
import type { Call, FacadeTable } from '../../facade.ts';
import * as transactions from '../../transactions/agent/storage.ts';
import type { Tx } from '../../transactions/tx.ts';
import { changeUnit } from './change-unit.ts';
import { ownMachine, refuseFormer } from './own-unit.ts';

const needs = 'agent';
type Methods = Pick<
  FacadeTable<typeof spec>,
  | 'StorageMade'
  | 'StorageMounted'
  | 'StorageUnmounted'
  | 'StorageDestroyed'
  | 'StorageFailed'
  | 'ReleaseStorage'
>;

/** Reports of an agent about the storage on its own machine. */
export const storageMethods: Methods = {
  StorageMade: {
    needs,
    run: (call, p) => change(call, (tx, machine) => transactions.storageMade(tx, { machine, ...p })),
  },
  StorageMounted: {
    needs,
    run: (call, p) => change(call, (tx, machine) => transactions.storageMounted(tx, { machine, ...p })),
  },
  StorageUnmounted: {
    needs,
    run: (call, p) => change(call, (tx, machine) => transactions.storageUnmounted(tx, { machine, ...p })),
  },
  StorageDestroyed: {
    needs,
    run: (call, p) => change(call, (tx, machine) => transactions.storageDestroyed(tx, { machine, ...p })),
  },
  StorageFailed: {
    needs,
    run: (call, p) => change(call, (tx, machine) => transactions.storageFailed(tx, { machine, ...p })),
  },
  ReleaseStorage: {
    needs,
    run: async (call, p) => {
      await changeUnit(call, p.unit, (tx) => transactions.releaseOwnStorage(tx, p));
      return {};
    },
  },
};

async function change(call: Call, report: (tx: Tx, machine: string) => void): Promise<Record<string, never>> {
  const machine = ownMachine(call);
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    refuseFormer(call, tx);
    report(tx, machine);
  }, call.by);
  return {};
}
