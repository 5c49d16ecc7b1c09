/** Facade of the machine agents: every method is limited to the caller's own machine and the units on it. */
import type { machineAgent as spec } from '../../../wire/facades/machine-agent.ts';
import { cut, limits } from '../../../core/limits.ts';
import { migrationId } from '../../../core/migration/phases.ts';
import type { FacadeTable } from '../../facade.ts';
import { changePayload } from '../../transactions/agent/payloads.ts';
import { createAgentWatcher } from '../../watchers/agent-watcher.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { claimLeadership, setLeaderSettings } from '../../transactions/agent/leadership.ts';
import { leaveScope, prepareLeaveScope } from '../../transactions/end/leave-scope.ts';
import { setMachineDead } from '../../transactions/end/remove-machine.ts';
import { setOwnPassword } from '../../transactions/agent/set-own-password.ts';
import {
  clearResolved,
  destroySubordinates,
  saveAgentState,
  setUnitCharm,
  setUnitDead,
  setWorkloadVersion,
} from '../../transactions/agent/unit-agent.ts';
import { keepAgentState, recordUnknownUnits } from '../../transactions/agent/restored-units.ts';
import { renewUnit } from '../../transactions/instance/renew-machine.ts';
import { recordUnitResource } from '../../transactions/agent/unit-resources.ts';
import { applicationStatus } from './application-status.ts';
import { changeUnit } from './change-unit.ts';
import { cloudSpec } from './cloud-spec.ts';
import { commitOwnHook } from './commit-own-hook.ts';
import {
  containerFailed,
  containersEnded,
  containerStarted,
  containerStatus,
  containersSeen,
  containersUnreleased,
  prepareContainers,
} from './containers.ts';
import { destroyOwnUnit } from './destroy-own-unit.ts';
import { goalState } from './goal-state.ts';
import { log } from './log.ts';
import { ownMachine, ownUnit } from './own-unit.ts';
import { storageMethods } from './storage.ts';
import { relationSettings } from './relation-settings.ts';
import { removeOwnUnit } from './remove-own-unit.ts';
import { newSecretIds, ownSecrets, secretContent } from './secrets.ts';
import { resourceInfo } from './resources.ts';
import { setStatus } from './set-status.ts';
import { started } from './started.ts';
import { finishTask, logTask, startTask } from './tasks.ts';
import { unitDeployed } from './unit-deployed.ts';

const needs = 'agent';

export const machineAgent: FacadeTable<typeof spec> = {
  Watch: {
    needs,
    run: (call) => ({
      'watcher-id': call.connection.register(
        createAgentWatcher({ ...call, machine: ownMachine(call), addresses: call.services.addresses }),
      ),
    }),
  },
  Started: { needs, run: started },
  SetStatus: { needs, run: setStatus },
  CloudSpec: { needs, run: cloudSpec },
  ApplicationStatus: { needs, run: applicationStatus },
  UnitDeployed: { needs, run: unitDeployed },
  RenewUnit: { needs, run: async (call, p) => done(changeUnit(call, p.unit, (tx) => renewUnit(tx, p.unit))) },
  SaveState: { needs, run: async (call, p) => done(changeUnit(call, p.unit, (tx) => saveAgentState(tx, p))) },
  KeepState: { needs, run: async (call, p) => done(changeUnit(call, p.unit, (tx) => keepAgentState(tx, p))) },
  UnknownUnits: {
    needs,
    run: async (call, units) => {
      const machine = ownMachine(call);
      return done(
        call.store.change((tx) => recordUnknownUnits(tx.in(call.modelUuid), { machine, ...units }), call.by),
      );
    },
  },
  CommitHook: { needs, run: commitOwnHook },
  NewSecretIds: { needs, run: newSecretIds },
  SecretContent: { needs, run: secretContent },
  OwnSecrets: { needs, run: ownSecrets },
  SetUnitCharm: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => setUnitCharm(tx, p))),
  },
  ClearResolved: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => clearResolved(tx, p.unit))),
  },
  ChangePayload: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => changePayload(tx, p))),
  },
  SetWorkloadVersion: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => setWorkloadVersion(tx, p))),
  },
  EnterScope: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => enterScope(tx, inRelation(p)))),
  },
  PrepareLeaveScope: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => prepareLeaveScope(tx, inRelation(p)))),
  },
  LeaveScope: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => leaveScope(tx, inRelation(p)))),
  },
  RelationSettings: { needs, run: relationSettings },
  ClaimLeadership: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => claimLeadership(tx, p))),
  },
  LeaderSettings: {
    needs,
    run: (call, p) => {
      const view = call.read();
      return { values: { ...view.get('leader-settings', ownUnit(call, view, p.unit).application)?.values } };
    },
  },
  SetLeaderSettings: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => setLeaderSettings(tx, p))),
  },
  GoalState: { needs, run: goalState },
  ResourceInfo: { needs, run: resourceInfo },
  ResourceProvided: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => recordUnitResource(tx, p))),
  },
  DestroyUnit: { needs, run: destroyOwnUnit },
  DestroySubordinates: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => destroySubordinates(tx, p.unit))),
  },
  UnitDead: {
    needs,
    run: async (call, p) => done(changeUnit(call, p.unit, (tx) => setUnitDead(tx, p.unit))),
  },
  RemoveUnit: { needs, run: removeOwnUnit },
  PrepareContainers: { needs, run: prepareContainers },
  ContainerStarted: { needs, run: containerStarted },
  ContainerFailed: { needs, run: containerFailed },
  ContainerStatus: { needs, run: containerStatus },
  ContainersEnded: { needs, run: containersEnded },
  ContainersUnreleased: { needs, run: containersUnreleased },
  ContainersSeen: { needs, run: containersSeen },
  ...storageMethods,
  SetPassword: {
    needs,
    run: async (call, { password }) => {
      const machine = ownMachine(call);
      const { nonce } = call.caller as { nonce?: string };
      return done(
        call.store.change(
          (tx) => setOwnPassword(tx.in(call.modelUuid), { machine, nonce, password }),
          call.by,
        ),
      );
    },
  },
  MachineDead: {
    needs,
    run: async (call) =>
      done(call.store.change((tx) => setMachineDead(tx.in(call.modelUuid), ownMachine(call)), call.by)),
  },
  MigrationTried: {
    needs,
    run: (call, { migration, problem }) => {
      const doc = call.read().in('').get('migration', call.modelUuid);
      if (doc && migrationId(doc) === migration && doc.phase === 'VALIDATION')
        call.services.trials.note(migration, ownMachine(call), cut(limits.statusMessage, problem));
      return {};
    },
  },
  StartTask: { needs, run: startTask },
  LogTask: { needs, run: logTask },
  FinishTask: { needs, run: finishTask },
  Log: { needs, run: log },
};

async function done(change: Promise<unknown>): Promise<Record<string, never>> {
  await change;
  return {};
}

function inRelation(params: { unit: string; relation: number }): { unit: string; relation: string } {
  return { unit: params.unit, relation: String(params.relation) };
}
