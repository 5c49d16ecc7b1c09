import type { PayloadChange } from '../core/payloads/payloads.ts';
import { networkInfo } from '../core/network/network-info.ts';
import { JujuError, notFound } from '../core/errors.ts';
import type { HookContext, RelationView, StatusValue } from '../hooks/context.ts';
import { newHookChanges } from '../hooks/hook-changes.ts';
import { SecretMask } from '../hooks/secret-mask.ts';
import { noProxies } from '../providers/contract/start.ts';

/** Fake context that records the effects of hooks on the unit, beside `changes`. */
export interface FakeHookContext extends HookContext {
  readonly done: {
    readonly logs: { level: string; message: string }[];
    readonly statuses: { kind: string; status: string; message: string }[];
    readonly actionLogs: string[];
    workloadVersion: string;
    readonly payloads: { name: string; id: string; change: PayloadChange }[];
    leaderSettings: Record<string, string>;
  };
  /** Databags as the controller has them, by `<relation id> <owner>`. */
  readonly bags: Map<string, Record<string, string>>;
}

export type FakeHookContextOverrides = Partial<Omit<HookContext, 'isLeader'>> & {
  readonly leader?: boolean;
  readonly relationViews?: readonly RelationView[];
  readonly bags?: Readonly<Record<string, Record<string, string>>>;
  readonly state?: Readonly<Record<string, string>>;
  readonly ports?: Readonly<Record<string, readonly string[]>>;
};

const noSecrets: HookContext['secrets'] = {
  newId: () => Promise.resolve('9m4e2mr0ui3e8a215n4g'),
  read: ({ id, label }) =>
    Promise.reject(id === '' ? notFound('consumer label', label) : notFound('secret', `secret:${id}`)),
  own: ({ id, label } = {}) =>
    id === undefined && label === undefined
      ? Promise.resolve([])
      : Promise.reject(notFound('secret', id ?? label ?? '')),
};

/**
 * Creates the context of the unit web/0, related to db by db:7 and with its peers by peers:1, running update-status by
 * default.
 */
export function fakeHookContext(overrides: FakeHookContextOverrides = {}): FakeHookContext {
  const { leader = false, relationViews, bags: givenBags, state, ports, ...rest } = overrides;
  const views = relationViews ?? [
    { id: 1, endpoint: 'peers', remoteApplication: 'web', peer: true, members: ['web/1'] },
    { id: 7, endpoint: 'db', remoteApplication: 'mysql', peer: false, members: ['mysql/0', 'mysql/1'] },
  ];
  const bags = new Map(
    Object.entries(
      givenBags ?? {
        '7 mysql/0': { host: '10.0.0.5', port: '3306' },
        '7 mysql': { ready: 'yes' },
        '7 web/0': { 'ingress-address': '10.0.0.9' },
        '1 web/1': {},
      },
    ),
  );
  const done: FakeHookContext['done'] = {
    logs: [],
    statuses: [],
    actionLogs: [],
    workloadVersion: '',
    payloads: [],
    leaderSettings: { token: 't0' },
  };
  let workload: StatusValue = { status: 'waiting', message: 'for db', data: { since: 1 } };
  return {
    unit: 'web/0',
    application: 'web',
    principal: '',
    machineId: '3',
    availabilityZone: 'zone-a',
    model: { name: 'test', uuid: '5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1' },
    apiAddresses: ['10.0.0.1:17070', '10.0.0.2:17070'],
    jujuVersion: '3.6.28',
    proxies: noProxies,
    machineEnvironment: {},
    event: { name: 'update-status' },
    changes: newHookChanges(),
    config: () => ({
      values: { port: 80, ratio: 1.5, debug: true, title: 'a page' },
      options: {
        port: { type: 'int', description: '', default: 80 },
        ratio: { type: 'float', description: '', default: 1.5 },
        debug: { type: 'boolean', description: '' },
        title: { type: 'string', description: '' },
        secretless: { type: 'string', description: '' },
      },
    }),
    relations: () => views,
    storages: () => [],
    relationSettings: async (relation, owner) => bags.get(`${relation} ${owner}`) ?? {},
    relationModelUuid: () => '5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1',
    isLeader: async () => leader,
    leaderSettings: async () => done.leaderSettings,
    setLeaderSettings: async (values) => {
      done.leaderSettings = { ...done.leaderSettings, ...values };
    },
    status: async () => workload,
    applicationStatus: async () => ({
      application: { status: 'active', message: 'ok', data: {} },
      units: { 'web/0': workload },
    }),
    setStatus: async (kind, status, message) => {
      done.statuses.push({ kind, status, message });
      if (kind === 'workload') workload = { status, message, data: {} };
    },
    setWorkloadVersion: async (version) => {
      done.workloadVersion = version;
    },
    changePayload: async (name, id, change) => {
      done.payloads.push({ name, id, change });
    },
    openedPorts: () => ports ?? {},
    neighbourPorts: () => [],
    mask: new SecretMask(),
    secrets: noSecrets,
    charmState: () => state ?? {},
    network: (binding) =>
      binding === 'website'
        ? undefined
        : networkInfo(
            [
              {
                value: '10.0.0.9',
                scope: 'local-cloud',
                space: 'alpha',
                cidr: '10.0.0.0/24',
                interfaceName: 'eth0',
                macAddress: '00:16:3e:00:00:01',
              },
            ],
            { space: 'alpha', egressSubnets: [] },
          ),
    privateAddress: () => '10.0.0.9',
    publicAddress: () => '203.0.113.9',
    endpoints: () => ['peers', 'db', 'website', 'juju-info'],
    bindings: () => ['peers', 'db', 'website', 'juju-info', 'admin'],
    cloudSpec: async () => {
      throw new JujuError('unauthorized access', 'permission denied');
    },
    goalState: async () => ({
      units: { 'web/0': { status: 'waiting', since: '2026-11-20T00:00:00.123Z' } },
      relations: { db: { mysql: { status: 'joined', since: '2026-11-20T00:00:00.123Z' } } },
    }),
    resource: async (name) => {
      throw new JujuError('not found', `resource "${name}" not found`);
    },
    actionLog: async (message) => {
      done.actionLogs.push(message);
    },
    log: (level, message) => {
      done.logs.push({ level, message });
    },
    ...rest,
    done,
    bags,
  };
}
