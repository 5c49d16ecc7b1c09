/**
 * Conversion of FullStatus into the output of `status --format json|yaml` (wire.md#status-json), from which the tables
 * are made too.
 */
import type {
  ApplicationStatus,
  DetailedStatus,
  FullStatus,
  MachineStatus,
  OfferStatus,
  RemoteApplicationStatus,
  RelationStatus,
  UnitStatus,
} from '../../wire/facades/client.ts';
import { formatClockTime, formatTime, type TimeStyle } from './time.ts';
import { formatSectionsOf } from '../storage.ts';
import { sorted } from './yaml.ts';
import { defined } from '../../core/defined.ts';

export interface StatusInfo {
  readonly current?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly version?: string;
  readonly life?: string;
}

export interface FormattedMachine {
  readonly 'juju-status': StatusInfo;
  readonly hostname?: string;
  readonly 'dns-name'?: string;
  readonly 'ip-addresses'?: readonly string[];
  readonly 'instance-id'?: string;
  readonly 'display-name'?: string;
  readonly 'machine-status'?: StatusInfo;
  readonly 'modification-status'?: StatusInfo;
  readonly base?: { readonly name: string; readonly channel: string };
  readonly 'network-interfaces'?: Readonly<Record<string, unknown>>;
  readonly containers?: Readonly<Record<string, FormattedMachine>>;
  readonly constraints?: string;
  readonly hardware?: string;
  readonly 'controller-member-status'?: string;
  readonly 'lxd-profiles'?: Readonly<Record<string, unknown>>;
}

export interface FormattedUnit {
  readonly 'workload-status'?: StatusInfo;
  readonly 'juju-status'?: StatusInfo;
  readonly leader?: boolean;
  readonly 'upgrading-from'?: string;
  readonly machine?: string;
  readonly 'open-ports'?: readonly string[];
  readonly 'public-address'?: string;
  readonly address?: string;
  readonly 'provider-id'?: string;
  /** True when the unit has no machine yet. */
  readonly unplaced?: true;
  readonly subordinates?: Readonly<Record<string, FormattedUnit>>;
}

interface FormattedRelation {
  readonly 'related-application': string;
  readonly interface: string;
  readonly scope: string;
}

interface FormattedApplication {
  readonly 'status-error'?: string;
  readonly charm?: string;
  readonly base?: { readonly name: string; readonly channel: string };
  readonly 'charm-origin'?: string;
  readonly 'charm-name'?: string;
  readonly 'charm-rev'?: number;
  readonly 'charm-channel'?: string;
  readonly 'charm-version'?: string;
  readonly 'charm-profile'?: string;
  readonly 'can-upgrade-to'?: string;
  readonly exposed?: boolean;
  readonly life?: string;
  readonly 'application-status'?: StatusInfo;
  /** Requirements that the application waits for; absent when it is deployed. */
  readonly pending?: {
    readonly since: string;
    readonly missing: NonNullable<ApplicationStatus['pending']>['missing'];
    /** Number of pending units; `running` counts the units that run nevertheless. */
    readonly units: number;
    readonly running: number;
  };
  /** Rolling refresh or rollback; absent when there is none. */
  readonly rollout?: NonNullable<ApplicationStatus['rollout']>;
  readonly relations?: Readonly<Record<string, readonly FormattedRelation[]>>;
  readonly 'subordinate-to'?: readonly string[];
  readonly units?: Readonly<Record<string, FormattedUnit>>;
  readonly version?: string;
  readonly 'endpoint-bindings'?: Readonly<Record<string, string>>;
}

interface FormattedSaas {
  readonly url: string;
  readonly endpoints?: Readonly<Record<string, { readonly interface: string; readonly role: string }>>;
  readonly life?: string;
  readonly 'application-status'?: StatusInfo;
  readonly relations?: Readonly<Record<string, readonly string[]>>;
}

interface FormattedOffer {
  readonly application: string;
  readonly charm?: string;
  readonly 'total-connected-count'?: number;
  readonly 'active-connected-count'?: number;
  readonly endpoints: Readonly<Record<string, { readonly interface: string; readonly role: string }>>;
}

interface FormattedStray {
  /** Machine that the instance was made for. */
  readonly machine?: string;
  readonly since: string;
  readonly message: string;
}

export interface FormattedStatus {
  readonly model: {
    readonly name: string;
    readonly type: string;
    readonly controller: string;
    readonly cloud: string;
    readonly region?: string;
    readonly version: string;
    readonly 'upgrade-available'?: string;
    readonly 'model-status': StatusInfo;
    readonly sla?: string;
  };
  readonly machines: Readonly<Record<string, FormattedMachine>>;
  readonly applications: Readonly<Record<string, FormattedApplication>>;
  /** SAAS applications; absent when there are none. */
  readonly 'application-endpoints'?: Readonly<Record<string, FormattedSaas>>;
  readonly offers?: Readonly<Record<string, FormattedOffer>>;
  readonly storage: Readonly<Record<string, unknown>>;
  /** Instances without a machine; absent when there are none. */
  readonly strays?: {
    readonly 'harvest-mode': string;
    readonly instances: Readonly<Record<string, FormattedStray>>;
  };
  readonly controller: { readonly timestamp: string };
}

export function formatStatus(status: FullStatus, controller: string, time: TimeStyle): FormattedStatus {
  const { model } = status;
  return {
    model: {
      name: model.name,
      type: model.type,
      controller,
      cloud: model['cloud-tag'].replace(/^cloud-/, ''),
      ...defined({ region: model.region || undefined }),
      version: model.version,
      ...defined({ 'upgrade-available': model['available-version'] || undefined }),
      'model-status': statusInfo(model['model-status'], time),
      ...defined({ sla: model.sla || undefined }),
    },
    machines: mapSorted(status.machines ?? {}, (machine) => formatMachine(machine, time)),
    applications: mapSorted(status.applications ?? {}, (application, name) =>
      formatApplication(name, application, status.relations ?? [], time),
    ),
    ...defined({
      'application-endpoints': ifAny(
        mapSorted(status['remote-applications'], (one) => formatSaas(one, time)),
      ),
      offers: ifAny(mapSorted(status.offers, formatOffer)),
    }),
    storage: {
      ...formatSectionsOf(status.storage ?? [], status.filesystems ?? [], status.volumes ?? [], time),
    },
    ...defined({
      strays: status.strays ? formatStrays(status.strays, `${controller}:${model.name}`, time) : undefined,
    }),
    controller: { timestamp: formatClockTime(status['controller-timestamp'], time) },
  };
}

function ifAny<T extends object>(record: T): T | undefined {
  return Object.keys(record).length > 0 ? record : undefined;
}

function formatSaas(saas: RemoteApplicationStatus, time: TimeStyle): FormattedSaas {
  const endpoints = saas.endpoints.map((one) => [one.name, { interface: one.interface, role: one.role }]);
  return {
    url: saas['offer-url'],
    ...defined({
      endpoints: ifAny(Object.fromEntries(endpoints) as NonNullable<FormattedSaas['endpoints']>),
      life: saas.life || undefined,
    }),
    'application-status': statusInfo(saas.status, time),
    ...defined({ relations: ifAny(saas.relations) }),
  };
}

function formatOffer(offer: OfferStatus): FormattedOffer {
  return {
    application: offer['application-name'],
    charm: offer.charm,
    ...defined({
      'total-connected-count': offer['total-connected-count'] || undefined,
      'active-connected-count': offer['active-connected-count'] || undefined,
    }),
    endpoints: mapSorted(offer.endpoints, (one) => ({ interface: one.interface, role: one.role })),
  };
}

function formatStrays(
  { 'harvest-mode': mode, instances }: NonNullable<FullStatus['strays']>,
  model: string,
  time: TimeStyle,
): NonNullable<FormattedStatus['strays']> {
  // The remedy names the mode that also stops these instances, in addition to those that the current mode stops.
  const remedy = `provisioner-harvest-mode=${mode === 'none' ? 'unknown' : 'all'}`;
  const message = (stopping: boolean): string =>
    stopping
      ? `is being stopped (provisioner-harvest-mode=${mode})`
      : mode === 'unknown' || mode === 'all'
        ? 'belongs to no machine; will be stopped soon, unless it runs a controller'
        : `belongs to no machine; run "model-config -m ${model} ${remedy}" to stop it`;
  const formatted = instances.map((stray): [string, FormattedStray] => [
    stray['instance-id'],
    {
      ...defined({ machine: stray.machine || undefined }),
      since: formatTime(stray.since, time),
      message: message(stray.stopping),
    },
  ]);
  return { 'harvest-mode': mode, instances: Object.fromEntries(formatted) };
}

function formatMachine(machine: MachineStatus, time: TimeStyle): FormattedMachine {
  const containers = mapSorted(machine.containers ?? {}, (container) => formatMachine(container, time));
  const addresses = machine['ip-addresses'] ?? [];
  const networks = machine['network-interfaces'] ?? {};
  const profiles = machine['lxd-profiles'] ?? {};
  return {
    'juju-status': statusInfo(machine['agent-status'], time),
    ...defined({
      hostname: machine.hostname || undefined,
      'dns-name': machine['dns-name'] || undefined,
      'ip-addresses': addresses.length > 0 ? addresses : undefined,
      'instance-id': machine['instance-id'] || undefined,
      'display-name': machine['display-name'] || undefined,
    }),
    'machine-status': statusInfo(machine['instance-status'], time),
    'modification-status': statusInfo(machine['modification-status'], time),
    base: shownBase(machine.base),
    ...(Object.keys(networks).length > 0 && { 'network-interfaces': mapSorted(networks, (n) => n) }),
    ...defined({
      containers: Object.keys(containers).length > 0 ? containers : undefined,
      constraints: machine.constraints || undefined,
      hardware: machine.hardware || undefined,
    }),
    ...(machine.jobs?.includes('JobManageModel') && {
      'controller-member-status': machine['has-vote'] ? 'has-vote' : 'no-vote',
    }),
    ...(Object.keys(profiles).length > 0 && { 'lxd-profiles': mapSorted(profiles, (one) => one) }),
  };
}

function formatApplication(
  name: string,
  application: ApplicationStatus,
  relations: readonly RelationStatus[],
  time: TimeStyle,
): FormattedApplication {
  if (application.err) return { 'status-error': application.err.message };
  const charm = parseCharmUrl(application.charm);
  const units = mapSorted(application.units ?? {}, (unit) => formatUnit(unit, time));
  const related = formatRelations(name, application, relations);
  const subordinateTo = application['subordinate-to'] ?? [];
  return {
    charm: charm.origin === 'charmhub' ? charm.name : application.charm,
    base: shownBase(application.base),
    'charm-origin': charm.origin,
    'charm-name': charm.name,
    'charm-rev': application['charm-rev'] ?? charm.revision,
    ...defined({
      'charm-channel': application['charm-channel'] || undefined,
      'charm-version': application['charm-version'] || undefined,
      'charm-profile': application['charm-profile'] || undefined,
      'can-upgrade-to': application['can-upgrade-to'] || undefined,
    }),
    exposed: application.exposed,
    ...defined({ life: application.life || undefined }),
    'application-status': statusInfo(application.status, time),
    ...(application.pending && {
      pending: { ...application.pending, since: formatTime(application.pending.since, time) },
    }),
    ...(application.rollout && {
      rollout: { ...application.rollout, since: formatTime(application.rollout.since, time) },
    }),
    ...defined({
      relations: Object.keys(related).length > 0 ? related : undefined,
      'subordinate-to': subordinateTo.length > 0 ? subordinateTo : undefined,
      units: Object.keys(units).length > 0 ? units : undefined,
      version: application['workload-version'] || undefined,
    }),
    ...(Object.keys(application['endpoint-bindings'] ?? {}).length > 0 && {
      'endpoint-bindings': mapSorted(application['endpoint-bindings'], (space) => space),
    }),
  };
}

function formatUnit(unit: UnitStatus, time: TimeStyle): FormattedUnit {
  const subordinates = mapSorted(unit.subordinates ?? {}, (subordinate) => formatUnit(subordinate, time));
  const ports = unit['opened-ports'] ?? [];
  return {
    'workload-status': statusInfo(unit['workload-status'], time),
    'juju-status': statusInfo(unit['agent-status'], time),
    ...defined({
      leader: unit.leader || undefined,
      'upgrading-from': unit.charm || undefined,
      machine: unit.machine || undefined,
      'open-ports': ports.length > 0 ? ports : undefined,
      'public-address': unit['public-address'] || undefined,
      address: unit.address || undefined,
      'provider-id': unit['provider-id'] || undefined,
      unplaced: unit.unplaced,
    }),
    ...(Object.keys(subordinates).length > 0 && { subordinates }),
  };
}

/** Returns the related applications by endpoint. Interface and scope come from the list of relations. */
function formatRelations(
  name: string,
  application: ApplicationStatus,
  relations: readonly RelationStatus[],
): Readonly<Record<string, readonly FormattedRelation[]>> {
  return mapSorted(application.relations ?? {}, (relatedNames, endpoint) =>
    [...relatedNames].sort().map((relatedName) => {
      const relation = relations.find(
        (r) =>
          r.endpoints.some((e) => e.application === name && e.name === endpoint) &&
          (r.endpoints.length === 1
            ? relatedName === name
            : r.endpoints.some((e) => e.application === relatedName)),
      );
      return {
        'related-application': relatedName,
        interface: relation?.interface ?? '',
        scope: relation?.scope ?? '',
      };
    }),
  );
}

function statusInfo(status: DetailedStatus, time: TimeStyle): StatusInfo {
  const since = formatTime(status.since, time);
  return {
    current: status.status,
    ...defined({
      message: status.info || undefined,
      since: since || undefined,
      version: status.version || undefined,
      life: status.life && status.life !== 'alive' ? status.life : undefined,
    }),
  };
}

/** Parses a charm's URL: `local:mysql-3`, `ch:amd64/mysql-3`. */
export function parseCharmUrl(url: string): { origin: string; name: string; revision: number } {
  const match = /^(?:(\w+):)?(?:.*\/)?([^/]*)$/.exec(url);
  const lastSegment = match?.[2] ?? url;
  const revision = /-(\d+)$/.exec(lastSegment)?.[1];
  return {
    origin: match?.[1] === 'local' ? 'local' : 'charmhub',
    name: revision === undefined ? lastSegment : lastSegment.slice(0, -revision.length - 1),
    revision: Number(revision ?? 0),
  };
}

function shownBase(base: { name: string; channel: string }): { name: string; channel: string } {
  return { name: base.name, channel: base.channel.replace(/\/stable$/, '') };
}

function mapSorted<V, R>(
  record: Readonly<Record<string, V>>,
  fn: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(sorted(record).map(([key, value]) => [key, fn(value, key)]));
}
