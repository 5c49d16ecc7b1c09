/** Schemas of the agents' own facades; their meaning is in wire/agent.ts. */
import { z } from 'zod';
import { logLevels } from '../../core/log-levels.ts';
import type { FacadeSpec } from '../facade-spec.ts';

const nothing = z.object({});
const strings = z.record(z.string(), z.string());
const data = z.record(z.string(), z.unknown());
const statusValue = z.object({ status: z.string(), message: z.string(), data });
const goal = z.object({ status: z.string(), since: z.string() });
const ports = z.array(z.object({ endpoint: z.string(), range: z.string() }));
const ofUnit = z.object({ unit: z.string() });
const inRelation = z.object({ unit: z.string(), relation: z.number() });
const address = z.object({
  value: z.string(),
  cidr: z.string().optional(),
  interfaceName: z.string().optional(),
  macAddress: z.string().optional(),
  scope: z.string(),
});

const optionalText = z.string().exactOptional();
const instanceAddress = z.object({
  value: z.string(),
  type: z.enum(['ipv4', 'ipv6', 'hostname']),
  scope: z.enum(['public', 'local-cloud', 'local-machine']),
  cidr: optionalText,
  interfaceName: optionalText,
  macAddress: optionalText,
});
const hardware = z.object({
  arch: optionalText,
  cores: z.number().exactOptional(),
  cpuPower: z.number().exactOptional(),
  mem: z.number().exactOptional(),
  rootDisk: z.number().exactOptional(),
  rootDiskSource: optionalText,
  tags: z.array(z.string()).exactOptional(),
  availabilityZone: optionalText,
  virtType: optionalText,
});
const failureClass = z.enum(['transient', 'zonal', 'quota', 'credential', 'bad request']);
const failedZones = z.array(z.string());
const nextStart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('again'), failedZones }),
  z.object({ kind: z.literal('later'), failedZones }),
  z.object({ kind: z.literal('suspended') }),
  z.object({ kind: z.literal('never') }),
]);
const containerStart = z.object({
  container: z.string(),
  nonce: z.string(),
  isFirst: z.boolean(),
  ran: z.boolean(),
  existing: z.boolean(),
  base: z.object({ name: z.string(), channel: z.string() }),
  constraints: data,
  address: instanceAddress.exactOptional(),
  tags: strings,
  agent: z.object({ dataDir: z.string(), agentConf: z.string(), version: z.string() }),
});
const containerRefused = z.object({
  container: z.string(),
  failure: z.object({ class: failureClass, message: z.string() }),
});

export const machineAgent = {
  name: 'MachineAgent',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    Watch: { params: nothing, result: z.object({ 'watcher-id': z.string() }) },
    Started: {
      params: z.object({
        hostname: z.string(),
        addresses: z.array(address),
        hardware: z.object({ arch: z.string(), cores: z.number(), mem: z.number() }),
        version: z.string(),
      }),
      result: nothing,
    },
    SetStatus: {
      params: z.object({
        kind: z.enum(['unit-agent', 'workload', 'application', 'machine-agent']),
        unit: z.string(),
        status: z.string(),
        message: z.string(),
        data: data.optional(),
      }),
      result: nothing,
    },
    CloudSpec: {
      params: ofUnit,
      result: z.object({
        type: z.string(),
        name: z.string(),
        region: z.string().optional(),
        endpoint: z.string().optional(),
        'identity-endpoint': z.string().optional(),
        'storage-endpoint': z.string().optional(),
        credential: z.object({ 'auth-type': z.string(), attrs: strings }).optional(),
        cacertificates: z.array(z.string()).optional(),
        'skip-tls-verify': z.boolean().optional(),
        'is-controller-cloud': z.boolean().optional(),
      }),
    },
    ApplicationStatus: {
      params: ofUnit,
      result: z.object({ application: statusValue, units: z.record(z.string(), statusValue) }),
    },
    UnitDeployed: {
      params: ofUnit,
      result: z.object({ agentState: z.unknown(), charmState: strings, workload: statusValue }),
    },
    SaveState: { params: z.object({ unit: z.string(), agentState: z.unknown() }), result: nothing },
    CommitHook: {
      params: z.object({
        unit: z.string(),
        hookId: z.string(),
        relationSettings: z.array(z.object({ relation: z.number(), app: z.boolean(), set: strings })),
        openPorts: ports,
        closePorts: ports,
        charmState: z.object({ set: strings, delete: z.array(z.string()) }).optional(),
        agentState: z.unknown(),
      }),
      result: nothing,
    },
    ClearResolved: { params: ofUnit, result: nothing },
    SetWorkloadVersion: { params: z.object({ unit: z.string(), version: z.string() }), result: nothing },
    EnterScope: { params: inRelation, result: nothing },
    PrepareLeaveScope: { params: inRelation, result: nothing },
    LeaveScope: { params: inRelation, result: nothing },
    RelationSettings: {
      params: z.object({ unit: z.string(), relation: z.number(), owner: z.string() }),
      result: z.object({ values: strings }),
    },
    ClaimLeadership: { params: z.object({ unit: z.string(), durationMs: z.number() }), result: nothing },
    LeaderSettings: { params: ofUnit, result: z.object({ values: strings }) },
    SetLeaderSettings: { params: z.object({ unit: z.string(), values: strings }), result: nothing },
    GoalState: {
      params: ofUnit,
      result: z.object({
        units: z.record(z.string(), goal),
        relations: z.record(z.string(), z.record(z.string(), goal)),
      }),
    },
    DestroyUnit: { params: ofUnit, result: nothing },
    DestroySubordinates: { params: ofUnit, result: nothing },
    UnitDead: { params: ofUnit, result: nothing },
    RemoveUnit: { params: ofUnit, result: nothing },
    PrepareContainers: {
      params: z.object({ containers: z.array(z.string()) }),
      result: z.object({ starts: z.array(z.union([containerStart, containerRefused])) }),
    },
    ContainerStarted: {
      params: z.object({
        container: z.string(),
        nonce: z.string(),
        instance: z.object({
          id: z.string(),
          displayName: z.string(),
          status: z.string(),
          message: z.string(),
          isolation: z.string(),
          addresses: z.array(instanceAddress),
          base: z.object({ name: z.string(), channel: z.string() }).exactOptional(),
        }),
        hardware,
      }),
      result: z.object({ kept: z.boolean() }),
    },
    ContainerFailed: {
      params: z.object({
        container: z.string(),
        class: failureClass,
        message: z.string(),
        attempt: z.number(),
        next: nextStart,
        at: z.string().optional(),
        leftNothing: z.boolean(),
      }),
      result: nothing,
    },
    ContainerStatus: {
      params: z.object({ container: z.string(), message: z.string() }),
      result: nothing,
    },
    ContainersEnded: {
      params: z.object({
        kill: z.array(z.string()),
        renew: z.array(z.string()),
        forget: z.array(z.object({ container: z.string(), keptInstance: z.string().optional() })),
      }),
      result: nothing,
    },
    ContainersUnreleased: {
      params: z.object({ failures: z.array(z.object({ container: z.string(), message: z.string() })) }),
      result: nothing,
    },
    ContainersSeen: {
      params: z.object({ lost: z.array(z.string()), back: z.array(z.string()) }),
      result: nothing,
    },
    SetPassword: { params: z.object({ password: z.string() }), result: nothing },
    MachineDead: { params: nothing, result: nothing },
    StartTask: { params: z.object({ id: z.string() }), result: nothing },
    LogTask: { params: z.object({ id: z.string(), message: z.string() }), result: nothing },
    FinishTask: {
      params: z.object({
        id: z.string(),
        status: z.enum(['completed', 'failed', 'aborted']),
        message: z.string(),
        output: data,
      }),
      result: nothing,
    },
    Log: {
      params: z.object({
        records: z.array(
          z.object({
            entity: z.string(),
            time: z.iso.datetime(),
            level: z.enum(logLevels),
            module: z.string(),
            message: z.string(),
          }),
        ),
      }),
      result: nothing,
    },
  },
} as const satisfies FacadeSpec;

export const agentWatcher = {
  name: 'AgentWatcher',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    Next: {
      params: nothing,
      result: z.object({
        records: z.array(z.tuple([z.string(), z.record(z.string(), z.unknown()).nullable()])),
        complete: z.boolean(),
      }),
    },
    Stop: { params: nothing, result: nothing },
  },
} as const satisfies FacadeSpec;
