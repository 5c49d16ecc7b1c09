/** Steps of operators and agents, carried out by the real transactions. */
import type { Placement } from '../../core/placement.ts';
import { parseMetadata } from '../../core/charm/metadata.ts';
import { storageProviders } from '../../core/storage/providers.ts';
import { unitApplication } from '../../core/names.ts';
import { addMachine } from '../../controller/transactions/begin/add-machine.ts';
import { addRelation } from '../../controller/transactions/begin/add-relation.ts';
import { attachStorage } from '../../controller/transactions/begin/add-storage.ts';
import { giveUpImport, importStorage } from '../../controller/transactions/begin/import-storage.ts';
import { addUnits } from '../../controller/transactions/begin/add-units.ts';
import { deployApplication } from '../../controller/transactions/begin/deploy-application.ts';
import { detachStorage, destroyStorage } from '../../controller/transactions/end/detach-storage.ts';
import {
  releaseOwnStorage,
  storageDestroyed,
  storageMade,
  storageMounted,
  storageUnmounted,
} from '../../controller/transactions/agent/storage.ts';
import { destroyApplication } from '../../controller/transactions/end/destroy-application.ts';
import { destroyMachine } from '../../controller/transactions/end/destroy-machine.ts';
import { destroyModel } from '../../controller/transactions/end/destroy-model.ts';
import { destroyRelation } from '../../controller/transactions/end/destroy-relation.ts';
import { destroyOrphan, destroyUnit } from '../../controller/transactions/end/destroy-unit.ts';
import { enterScope } from '../../controller/transactions/agent/enter-scope.ts';
import type { ForceRequest } from '../../controller/transactions/end/force.ts';
import {
  claimLeadership,
  leaderOf,
  setLeaderSettings,
} from '../../controller/transactions/agent/leadership.ts';
import { leaveScope, prepareLeaveScope } from '../../controller/transactions/end/leave-scope.ts';
import { setConfig } from '../set-config.ts';
import { setMachineDead } from '../../controller/transactions/end/remove-machine.ts';
import { setStatus, type Tx } from '../../controller/transactions/tx.ts';
import {
  destroySubordinates,
  removeRecalledUnit,
  saveAgentState,
  setUnitDead,
  unitDeployed,
} from '../../controller/transactions/agent/unit-agent.ts';
import { foundVolume } from './storage-step.ts';
import { charms, type CharmName, type Step } from './step.ts';
import { openGate } from '../../controller/transactions/change/open-gate.ts';
import { defined } from '../../core/defined.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };
export const containerTypes = ['lxd'];

const providers = storageProviders({ type: 'sim', releasable: true, importable: true });
/** Returns the directives for one storage per unit of these charms. */
const storageOf = (pool: string) => ({
  storage: { data: { pool, count: 1 } },
  storageRules: { providers },
});

/** Carries out a step by the transaction that a client's, or an agent's, call runs. */
export function carryOut(
  tx: Tx,
  step: Exclude<
    Step,
    {
      do:
        | 'clean'
        | 'lose-agent'
        | 'place'
        | 'provision'
        | 'provision-vainly'
        | 'undertake'
        | 'volume'
        | 'volume-unrecorded'
        | 'wait';
    }
  >,
): void {
  switch (step.do) {
    case 'deploy':
      deployApplication(tx, {
        name: step.application,
        charmUrl: upload(tx, step.charm),
        charmOrigin: { source: 'local' },
        base,
        numUnits: step.units,
        constraints: {},
        placement: [],
        reuse: true,
        config: {},
        trust: false,
        endpointBindings: {},
        ...defined({
          require: step.require,
          after: step.after === undefined ? undefined : { [step.after]: 'active' },
        }),
        ...(step.charm === 'store' && storageOf('sim')),
        ...(step.charm === 'safe' && storageOf('rootfs')),
      });
      return;
    case 'open-gate':
      openGate(tx, {
        application: step.application,
        gate: { application: step.after, health: 'active' },
      });
      return;
    case 'require-endpoints':
      setConfig(tx, { 'require-endpoints': step.mode });
      return;
    case 'add-unit':
      addUnits(tx, {
        application: step.application,
        count: 1,
        placement: placementOf(step),
        containerTypes,
        reuse: true,
        ...(step.attach !== undefined && { attachStorage: [step.attach] }),
      });
      return;
    case 'add-machine': {
      const [placement] = placementOf(step);
      const placed = placement ? { placement } : {};
      addMachine(tx, { base, constraints: {}, ...placed, removeWhenEmpty: false, containerTypes });
      return;
    }
    case 'integrate':
      addRelation(tx, { endpoints: step.ends });
      return;
    case 'remove-unit':
      destroyUnit(tx, { unit: step.unit, ...defined({ destroyStorage: step.destroy }), ...forced(step) });
      return;
    case 'remove-application':
      destroyApplication(tx, {
        application: step.application,
        ...defined({ destroyStorage: step.destroy }),
        ...forced(step),
      });
      return;
    case 'remove-relation':
      destroyRelation(tx, { endpoints: step.ends, ...forced(step) });
      return;
    case 'remove-machine':
      destroyMachine(tx, { machine: step.machine, keepInstance: step.keep === true, ...forced(step) });
      return;
    case 'destroy-model':
      destroyModel(tx.in(''), { uuid: tx.space, ...defined({ storageEnd: step.storage }), ...forced(step) });
      return;
    case 'deployed':
      return deploy(tx, step.unit);
    case 'destroy-orphan':
      return destroyOrphan(tx, step.unit);
    case 'destroy-subordinates':
      return destroySubordinates(tx, step.unit);
    case 'recall':
      return removeRecalledUnit(tx, step.unit);
    case 'unit-dead':
      return setUnitDead(tx, step.unit);
    case 'enter':
      return enterScope(tx, step);
    case 'leave':
      return leaveScope(tx, step);
    case 'prepare-leave':
      return prepareLeaveScope(tx, step);
    case 'machine-dead':
      return setMachineDead(tx, step.machine);
    case 'attach-storage':
      return attachStorage(tx, step);
    case 'detach-storage':
      return detachStorage(tx, { storage: step.storage, force: false });
    case 'remove-storage': {
      const { storage, detach = false, release = false } = step;
      const type = tx.get('storage', storage)?.provider;
      const provider = providers.find((one) => one.type === type);
      return destroyStorage(tx, { storage, detach, force: detach, release, provider });
    }
    case 'import-filesystem':
      importStorage(tx, { name: 'data', pool: 'sim', provider: providers.at(-1)!, volume: foundVolume });
      return;
    case 'give-up-import':
      giveUpImport(tx, step.storage);
      return;
    case 'make':
    case 'mount':
    case 'unmount':
    case 'erase': {
      const { storage } = step;
      const { machine = '' } = tx.get('storage', storage) ?? {};
      if (step.do === 'make') return storageMade(tx, { storage, machine, size: 1 });
      if (step.do === 'mount') return storageMounted(tx, { storage, machine, path: '/srv' });
      if (step.do === 'erase') return storageDestroyed(tx, { storage, machine });
      return storageUnmounted(tx, { storage, machine });
    }
    case 'release-storage':
      return releaseOwnStorage(tx, step);
  }
}

/** Runs the deployer's call and the agent's first status, whose documents must be removed with the unit. */
function deploy(tx: Tx, unit: string): void {
  unitDeployed(tx, unit);
  setStatus(tx, 'workload', unit, 'waiting', 'installing agent');
  saveAgentState(tx, { unit, agentState: {} });
  if (leaderOf(tx, unitApplication(unit), tx.now) !== '') return;
  claimLeadership(tx, { unit, durationMs: 60_000 });
  setLeaderSettings(tx, { unit, values: { leader: unit } });
}

function forced({ force }: { readonly force?: number }): { force?: ForceRequest } {
  return force === undefined ? {} : { force: { maxWaitMs: force, by: 'user-admin' } };
}

/** Returns the placement of the step, as a client writes it. */
function placementOf({ to, container }: { to?: string; container?: true }): Placement[] {
  if (container) return [{ scope: 'lxd', directive: to ?? '' }];
  return to === undefined ? [] : [{ scope: '#', directive: to }];
}

/** Uploads a charm again, because it is removed with the last application that uses it. */
function upload(tx: Tx, name: CharmName): string {
  const url = `local:${name}-0`;
  if (tx.get('charm', url)) return url;
  tx.put('charm', url, {
    url,
    name,
    revision: 0,
    sha256: name.padEnd(64, '0'),
    size: 1,
    version: '',
    meta: parseMetadata({ name, summary: name, description: name, ...charms[name] }),
    config: {},
    actions: {},
    bases: [base],
    uploadedAt: tx.now,
  });
  return url;
}
