/** The fake controller's facade MachineAgent, with minimal implementations of its methods. */
import { JujuError } from '../core/errors.ts';
import { tagKeys } from '../providers/contract/provider.ts';
import type { MachineAgentMethods } from '../wire/facades/machine-agent.ts';
import type { FakeController } from './fake-controller.ts';

export type FakeMethods = {
  [M in keyof MachineAgentMethods]: (
    params: MachineAgentMethods[M]['params'],
  ) => MachineAgentMethods[M]['result'];
};

export function fakeMachineAgent(world: FakeController): FakeMethods {
  return {
    Watch: () => ({ 'watcher-id': '1' }),
    Started: () => ({}),
    SetStatus: ({ kind, unit, status, message }) => {
      if (unit !== '') world.unit(unit);
      world.statuses.push(`${kind} ${unit}: ${status} ${message}`.trim());
      return {};
    },
    CloudSpec: () => {
      throw new JujuError('unauthorized access', 'permission denied');
    },
    ResourceInfo: ({ name }) => {
      throw new JujuError('not found', `resource "${name}" not found`);
    },
    ResourceProvided: () => ({}),
    ApplicationStatus: () => ({ application: { status: 'unknown', message: '', data: {} }, units: {} }),
    UnitDeployed: ({ unit }) => {
      const one = world.unit(unit);
      if (!one.deployed && one.life !== 'alive') throw new JujuError('dead', 'unit is not alive');
      one.deployed = true;
      return {
        agentState: one.saved,
        charmState: one.charmState,
        workload: { status: 'waiting', message: '', data: {} },
      };
    },
    RenewUnit: ({ unit }) => {
      Object.assign(world.unit(unit), { deployed: false, saved: null });
      return {};
    },
    SaveState: ({ unit, agentState }) => {
      world.unit(unit).saved = agentState;
      return {};
    },
    CommitHook: (commit) => {
      const unit = world.unit(commit.unit);
      if (unit.lastHook === commit.hookId) return {};
      for (const { relation, app, set } of commit.relationSettings) {
        const owner = app ? unit.application : commit.unit;
        if (app && world.leaderOf(unit.application) !== commit.unit)
          throw new JujuError('not leader', 'not leader');
        world.setBag(world.relation(relation), owner, set);
      }
      unit.lastHook = commit.hookId;
      unit.saved = commit.agentState;
      for (const { endpoint, range } of commit.openPorts) (unit.ports[endpoint] ??= []).push(range);
      for (const key of commit.charmState?.delete ?? []) delete unit.charmState[key];
      Object.assign(unit.charmState, commit.charmState?.set);
      world.commits.push(commit);
      return {};
    },
    KeepState: ({ unit, restore, agentState, charmState }) => {
      const { restored } = world.model;
      if (restored?.id !== restore || restored.state === 'rerun') return {};
      if (restored.state === 'keep') Object.assign(world.unit(unit), { saved: agentState, charmState });
      world.kept.push(unit);
      return {};
    },
    UnknownUnits: ({ units, ended = [] }) => {
      world.unknownUnits.push(units);
      world.endedUnits.push(ended);
      return {};
    },
    NewSecretIds: () => {
      throw new JujuError('not supported', 'no secrets here');
    },
    SecretContent: ({ id }) => {
      throw new JujuError('not found', `secret "secret:${id}" not found`);
    },
    OwnSecrets: () => ({ secrets: [] }),
    StorageMade: () => ({}),
    StorageMounted: ({ storage, path }) => {
      const record = world.storages.get(storage);
      if (record) world.storages.set(storage, { ...record, mounted: path });
      return {};
    },
    StorageUnmounted: ({ storage }) => {
      const { mounted: _mounted, ...record } = world.storages.get(storage) ?? {};
      if ('id' in record) world.storages.set(storage, record);
      return {};
    },
    StorageDestroyed: () => ({}),
    StorageFailed: () => ({}),
    ReleaseStorage: () => ({}),
    MigrationTried: () => ({}),
    SetUnitCharm: ({ unit, charmUrl }) => {
      world.unit(unit).charmUrl = charmUrl;
      world.changed();
      return {};
    },
    ClearResolved: ({ unit }) => {
      world.unit(unit).resolved = '';
      return {};
    },
    ChangePayload: () => ({}),
    SetWorkloadVersion: () => ({}),
    EnterScope: ({ unit, relation }) => {
      const one = world.relation(relation);
      const { application, principal, life } = world.unit(unit);
      if (one.life !== 'alive' || life !== 'alive') throw new JujuError('cannot enter scope', 'not alive');
      if (one.scopes.has(unit)) return {};
      const container = one.endpoints[0]?.scope === 'container';
      one.scopes.set(unit, { departing: false, container: container ? principal || unit : '' });
      world.setBag(one, unit, { 'ingress-address': '10.0.0.2' });
      const remote =
        one.endpoints.find((endpoint) => endpoint.application !== application)?.application ?? '';
      if (container && principal === '' && world.applications.get(remote)?.subordinate)
        world.addUnit(remote, unit);
      return {};
    },
    PrepareLeaveScope: ({ unit, relation }) => {
      const scope = world.relation(relation).scopes.get(unit);
      if (scope) scope.departing = true;
      return {};
    },
    LeaveScope: ({ unit, relation }) => {
      const one = world.relation(relation);
      one.scopes.delete(unit);
      if (one.life !== 'alive' && one.scopes.size === 0) world.relations.delete(relation);
      return {};
    },
    RelationSettings: ({ relation, owner }) => ({ values: world.settings(relation, owner) }),
    ClaimLeadership: ({ unit, durationMs }) => {
      const { application } = world.unit(unit);
      const holder = world.leaderOf(application);
      if (holder !== '' && holder !== unit)
        throw new JujuError('leadership claim denied', 'leadership claim denied');
      world.leases.set(application, { holder: unit, until: world.clock.now() + durationMs });
      return {};
    },
    LeaderSettings: ({ unit }) => ({
      values: world.leaderSettings.get(world.unit(unit).application)?.values ?? {},
    }),
    SetLeaderSettings: ({ unit, values }) => {
      const { application } = world.unit(unit);
      if (world.leaderOf(application) !== unit) throw new JujuError('not leader', 'not leader');
      const old = world.leaderSettings.get(application);
      world.leaderSettings.set(application, {
        values: { ...old?.values, ...values },
        version: (old?.version ?? 0) + 1,
      });
      return {};
    },
    GoalState: () => ({ units: {}, relations: {} }),
    DestroyUnit: ({ unit }) => {
      world.setUnit(unit, { life: 'dying' });
      return {};
    },
    DestroySubordinates: ({ unit }) => {
      for (const [name, one] of world.units)
        if (one.principal === unit && one.life === 'alive') world.setUnit(name, { life: 'dying' });
      return {};
    },
    UnitDead: ({ unit }) => {
      if ([...world.units.values()].some((one) => one.principal === unit)) {
        throw new JujuError('unit has subordinates', 'unit has subordinates');
      }
      if ([...world.relations.values()].some(({ scopes }) => scopes.has(unit)))
        throw new JujuError('', 'unit is in a scope');
      world.setUnit(unit, { life: 'dead' });
      return {};
    },
    RemoveUnit: ({ unit }) => {
      const one = world.units.get(unit);
      if (one?.life === 'alive') throw new JujuError('', 'unit is not dead');
      world.units.delete(unit);
      return {};
    },
    PrepareContainers: ({ containers, restarts = containers }) => ({
      starts: containers.flatMap((id) => {
        const record = world.containers.get(id);
        if (!record || record.life === 'dead') return [];
        if (record.instanceId !== undefined && !restarts.includes(id)) return [];
        const { nonce = `nonce-${id}` } = record;
        world.containers.set(id, { ...record, nonce });
        return {
          container: id,
          nonce,
          isFirst: record.nonce === undefined,
          ran: record.instanceId !== undefined,
          existing: record.instanceId !== undefined,
          base: { name: 'ubuntu', channel: '24.04/stable' },
          constraints: {},
          tags: { [tagKeys.machine]: id, [tagKeys.nonce]: nonce },
          agent: { dataDir: '/var/lib/juju', agentConf: `secret of ${id}`, version: '3.6.28' },
        };
      }),
    }),
    ContainerStarted: ({ container, nonce, instance }) => {
      const record = world.containers.get(container);
      if (!record || record.nonce !== nonce) return { kept: false };
      world.containers.set(container, { ...record, instanceId: instance.id });
      return { kept: true };
    },
    ContainerFailed: ({ container, message, next }) => {
      const record = world.containers.get(container);
      if (record) world.containers.set(container, { ...record, failed: next.kind === 'never' });
      world.statuses.push(`container ${container}: ${next.kind} ${message}`);
      return {};
    },
    ContainerStatus: ({ container, message }) => {
      world.statuses.push(`container ${container}: ${message}`);
      return {};
    },
    ContainersEnded: ({ kill, forget }) => {
      for (const id of kill) world.containers.set(id, { ...world.containers.get(id)!, life: 'dead' });
      for (const { container } of forget) world.containers.delete(container);
      return {};
    },
    ContainersSeen: ({ lost, back }) => {
      for (const id of [...lost, ...back])
        world.containers.set(id, { ...world.containers.get(id)!, lost: lost.includes(id) });
      return {};
    },
    ContainersUnreleased: ({ failures }) => {
      for (const { container, message } of failures)
        world.statuses.push(`container ${container}: error ${message}`);
      return {};
    },
    SetPassword: () => ({}),
    MachineDead: () => {
      if (world.containers.size > 0)
        throw new JujuError('machine is hosting containers', 'machine is hosting containers');
      if (world.units.size > 0)
        throw new JujuError('machine has assigned units', 'machine has assigned units');
      if (world.machine) world.machine = { ...world.machine, life: 'dead' };
      return {};
    },
    StartTask: ({ id }) => {
      const task = world.tasks.get(id);
      if (task?.status !== 'pending')
        throw new JujuError('action no longer available', 'action no longer available');
      world.tasks.set(id, { ...task, status: 'running' });
      return {};
    },
    LogTask: ({ id, message }) => {
      if (world.tasks.get(id)?.status !== 'running') throw new JujuError('', `task "${id}" does not run`);
      world.progress.push(`${id}: ${message}`);
      return {};
    },
    FinishTask: (params) => {
      if (world.tasks.delete(params.id)) world.finished.push(params);
      return {};
    },
    Log: ({ records }) => {
      world.logged.push(...records);
      return {};
    },
  };
}
