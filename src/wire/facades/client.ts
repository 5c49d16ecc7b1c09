import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { pending } from './requirements.ts';
import { filesystemDetails, storageDetails, volumeDetails } from './storage-details.ts';
import { rollout } from './rollout.ts';
import { remoteEndpoint } from './application-offers.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';
import { strays } from './strays.ts';

const meterStatus = z.strictObject({ color: z.string(), message: z.string() });
const networkInterface = z.strictObject({
  'ip-addresses': listOf(z.string()),
  'mac-address': z.string(),
  gateway: z.string().optional(),
  'dns-nameservers': listOf(z.string()).optional(),
  space: z.string().optional(),
  'is-up': z.boolean(),
});

export const machineStatus = z.strictObject({
  'agent-status': shared.detailedStatus,
  'instance-status': shared.detailedStatus,
  'modification-status': shared.detailedStatus,
  hostname: z.string().optional(),
  'dns-name': z.string(),
  'ip-addresses': listOf(z.string()).optional(),
  /** Instance id; `pending` until there is an instance. */
  'instance-id': z.string(),
  'display-name': z.string(),
  base: shared.baseResult,
  id: z.string(),
  'network-interfaces': mapOf(networkInterface).optional(),
  /** Containers on the machine, by id. */
  get containers() {
    return z.record(z.string(), machineStatus);
  },
  constraints: z.string(),
  hardware: z.string(),
  jobs: listOf(z.string()),
  'has-vote': z.boolean(),
  'wants-vote': z.boolean(),
  'primary-controller-machine': z.boolean().optional(),
  /** Profiles by their names in LXD. */
  'lxd-profiles': mapOf(shared.lxdProfile).optional(),
});

export const unitStatus = z.strictObject({
  'agent-status': shared.detailedStatus,
  'workload-status': shared.detailedStatus,
  'workload-version': z.string(),
  machine: z.string(),
  'opened-ports': listOf(z.string()),
  'public-address': z.string(),
  /** Charm URL; present only when it differs from the application's. */
  charm: z.string(),
  get subordinates() {
    return z.record(z.string(), unitStatus);
  },
  leader: z.boolean().optional(),
  address: z.string().optional(),
  'provider-id': z.string().optional(),
  /** Extension of grigri: the unit has no machine yet. The `machine` of a subordinate is '' in any case. */
  unplaced: z.literal(true).optional(),
});

export const applicationStatus = z.strictObject({
  charm: z.string(),
  'charm-version': z.string(),
  'charm-profile': z.string(),
  'charm-channel': z.string().optional(),
  /** Charm revision; absent for revision 0. */
  'charm-rev': z.int().optional(),
  base: shared.baseResult,
  exposed: z.boolean(),
  'exposed-endpoints': mapOf(shared.exposedEndpointResult).optional(),
  life: z.enum(['', 'dying', 'dead']),
  /** Applications at the other ends, by endpoint. */
  relations: mapOf(listOf(z.string())),
  'can-upgrade-to': z.string(),
  'subordinate-to': listOf(z.string()),
  units: z.record(z.string(), unitStatus),
  'meter-statuses': mapOf(meterStatus),
  status: shared.detailedStatus,
  'workload-version': z.string(),
  'endpoint-bindings': mapOf(z.string()),
  'public-address': z.string(),
  err: shared.wireError.optional(),
  /** Extension of grigri: reason why the application's units are not placed; absent when they are. */
  pending: pending.optional(),
  /** Extension of grigri: the application's rolling refresh or rollback; absent when there is none. */
  rollout: rollout.optional(),
});

export const relationStatus = z.strictObject({
  id: z.int(),
  key: z.string(),
  interface: z.string(),
  scope: z.enum(['global', 'container']),
  endpoints: listOf(
    z.strictObject({
      application: z.string(),
      name: z.string(),
      role: z.enum(['provider', 'requirer', 'peer']),
      subordinate: z.boolean(),
    }),
  ),
  status: shared.detailedStatus,
});

export const remoteApplicationStatus = z.strictObject({
  'offer-url': z.string(),
  /** Extension of grigri: by it an offer is known under another URL, as of another name of its controller. */
  'offer-uuid': z.string().optional(),
  /** The name in this model. */
  'offer-name': z.string(),
  endpoints: listOf(remoteEndpoint),
  life: z.enum(['', 'dying', 'dead']),
  /** Applications of this model, by the remote endpoint. */
  relations: mapOf(listOf(z.string())),
  status: shared.detailedStatus,
});
export const offerStatus = z.strictObject({
  'offer-name': z.string(),
  'application-name': z.string(),
  charm: z.string(),
  endpoints: mapOf(remoteEndpoint),
  'active-connected-count': z.int(),
  'total-connected-count': z.int(),
});

export const fullStatus = z.strictObject({
  model: z.strictObject({
    name: z.string(),
    type: z.string(),
    'cloud-tag': shared.tag,
    region: z.string().optional(),
    version: shared.version,
    'available-version': z.string(),
    'model-status': shared.detailedStatus,
    'meter-status': meterStatus,
    sla: z.string(),
  }),
  machines: z.record(z.string(), machineStatus),
  applications: z.record(z.string(), applicationStatus),
  'remote-applications': z.record(z.string(), remoteApplicationStatus),
  offers: z.record(z.string(), offerStatus),
  relations: listOf(relationStatus),
  'controller-timestamp': shared.time,
  branches: z.strictObject({}),
  storage: listOf(storageDetails).optional(),
  filesystems: listOf(filesystemDetails).optional(),
  volumes: listOf(volumeDetails).optional(),
  /** Extension of grigri: stray instances; absent when there are none. */
  strays: strays.optional(),
});

export type FullStatus = z.output<typeof fullStatus>;
export type MachineStatus = z.output<typeof machineStatus>;
export type UnitStatus = z.output<typeof unitStatus>;
export type ApplicationStatus = z.output<typeof applicationStatus>;
export type RemoteApplicationStatus = z.output<typeof remoteApplicationStatus>;
export type OfferStatus = z.output<typeof offerStatus>;
export type RelationStatus = z.output<typeof relationStatus>;
export type DetailedStatus = z.output<typeof shared.detailedStatus>;

/** Filter: names of entities, and texts that statuses, ports and addresses contain. */
const patterns = { patterns: z.array(z.string()) };
/** Members that version 6 lacks. */
const storage = { storage: true, filesystems: true, volumes: true } as const;

/** An agent for one architecture; `version`: such as 3.6.28-ubuntu-amd64. */
const agentBinary = z.strictObject({
  version: z.string(),
  url: z.string(),
  /** SHA-256 in hex. */
  sha256: z.string(),
  /** Size in bytes. */
  size: z.int().nonnegative(),
});

export const client = {
  name: 'Client',
  versions: [6, 8],
  on: 'model',
  methods: {
    FindTools: {
      until: 7,
      params: z.object({
        /** Exact version; 0.0.0 = any. */
        number: z.string(),
        /** Major version; 0 = any, as is '' in the members below. */
        major: z.number(),
        arch: z.string(),
        'os-type': z.string(),
        agentstream: z.string(),
      }),
      result: z.strictObject({ list: listOf(agentBinary), error: shared.wireError.optional() }),
    },
    FullStatus: {
      params: z.object({ ...patterns, 'include-storage': z.boolean().exactOptional() }),
      result: fullStatus,
      older: [{ until: 6, params: z.object(patterns), result: fullStatus.omit(storage) }],
    },
    StatusHistory: {
      params: z.object({
        requests: z.array(
          z.object({
            /** Kind of history: `unit`, `juju-unit`, `workload`, `application`, `juju-machine`, `machine`, `model`… */
            historyKind: z.string(),
            size: z.int(),
            filter: z.object({
              size: z.int(),
              /** Earliest time (RFC 3339): only newer statuses are returned. */
              date: z.string().exactOptional(),
              /** Maximum age in nanoseconds. */
              delta: z.int().exactOptional(),
              exclude: z.array(z.string()),
            }),
            tag: z.string(),
          }),
        ),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            error: shared.wireError.optional(),
            history: z.strictObject({
              statuses: listOf(shared.detailedStatus),
              error: shared.wireError.optional(),
            }),
          }),
        ),
      }),
    },
    WatchAll: {
      params: shared.noParams,
      result: z.strictObject({ 'watcher-id': z.string() }),
    },
  },
} as const satisfies FacadeSpec;
