/** Tables of `status`, with Juju's columns and widths. */
import { unitApplication } from '../../core/names.ts';
import { takenWords } from '../../core/rollout/rollout.ts';
import { visibleLine } from '../../kit/visible.ts';
import type { RelationStatus } from '../../wire/facades/client.ts';
import type { FormattedMachine, FormattedStatus, FormattedUnit, StatusInfo } from './formatted.ts';
import { parseCharmUrl } from './formatted.ts';
import { styleStatus, type Colour } from './colour.ts';
import { formatSections, type Cell, type Section } from './tabwriter.ts';
import { endpointRows } from '../offers.ts';
import { storageHeads } from '../storage.ts';
import { sorted } from './yaml.ts';

interface TabularOptions {
  /** Relations for their own section; absent when the section is not shown. */
  readonly relations?: readonly RelationStatus[];
  /** Rows of the storage section; absent when it is not shown. */
  readonly storage?: readonly (readonly string[])[];
  readonly colour: Colour;
}

export function statusTabular(
  status: FormattedStatus,
  { relations, storage = [], colour }: TabularOptions,
): string {
  const paint = (text: string): Cell => styleStatus(colour, text);
  return formatSections([
    modelSection(status),
    saasSection(status, paint),
    applicationsSection(status, paint),
    rolloutsSection(status, paint),
    unitsSection(status, paint),
    machinesSection(status.machines, paint),
    straysSection(status),
    offersSection(status),
    ...(relations ? [relationsSection(relations)] : []),
    ...(storage.length > 0 ? [{ rows: [storageHeads, ...storage] }] : []),
  ]);
}

export function isEmpty(status: FormattedStatus): boolean {
  const { applications, machines, strays, offers } = status;
  return (
    Object.keys(applications).length === 0 &&
    Object.keys(machines).length === 0 &&
    !strays &&
    !offers &&
    !status['application-endpoints']
  );
}

type Paint = (text: string) => Cell;

function modelSection({ model, controller }: FormattedStatus): Section {
  const notes = modelNotes(model['model-status'], model['upgrade-available']);
  return {
    rows: [
      [
        'Model',
        'Controller',
        'Cloud/Region',
        'Version',
        ...(model.sla ? ['SLA'] : []),
        'Timestamp',
        ...(notes ? ['Notes'] : []),
      ],
      [
        model.name,
        model.controller,
        model.region ? `${model.cloud}/${model.region}` : model.cloud,
        model.version,
        ...(model.sla ? [model.sla] : []),
        controller.timestamp,
        ...(notes ? [notes] : []),
      ],
    ],
  };
}

function modelNotes(status: StatusInfo, upgrade: string | undefined): string {
  if (status.current && status.current !== 'available') {
    return status.message ? `${status.current}: ${visibleLine(status.message)}` : status.current;
  }
  const notes = [...(upgrade ? [`upgrade available: ${upgrade}`] : []), visibleLine(status.message ?? '')];
  return notes.filter(Boolean).join('; ');
}

/** Section of SAAS applications, which are consumed from other models. */
function saasSection({ 'application-endpoints': saas = {} }: FormattedStatus, paint: Paint): Section {
  const rows = sorted(saas).map(([name, { url, 'application-status': status }]): Cell[] => {
    const colon = url.indexOf(':');
    return [name, paint(status?.current ?? ''), url.slice(0, Math.max(colon, 0)), url.slice(colon + 1)];
  });
  return rows.length === 0 ? { rows } : { rows: [['SAAS', 'Status', 'Store', 'URL'], ...rows] };
}

function offersSection({ offers = {} }: FormattedStatus): Section {
  const rows = sorted(offers).flatMap(([name, offer]) => {
    const counts = `${offer['active-connected-count'] ?? 0}/${offer['total-connected-count'] ?? 0}`;
    const charm = parseCharmUrl(offer.charm ?? '');
    const before = [name, offer.application, charm.name, String(charm.revision), counts];
    return endpointRows(before, offer.endpoints);
  });
  if (rows.length === 0) return { rows };
  return {
    rows: [['Offer', 'Application', 'Charm', 'Rev', 'Connected', 'Endpoint', 'Interface', 'Role'], ...rows],
    right: [3],
  };
}

function applicationsSection({ applications }: FormattedStatus, paint: Paint): Section {
  if (Object.keys(applications).length === 0) return { rows: [] };
  const scales = countUnits(applications);
  const rows = sorted(applications).map(([name, app]): Cell[] => {
    if (app['status-error'] !== undefined)
      return [name, '', paint('error'), '', '', '', '', '', app['status-error']];
    return [
      name,
      shorten(app.version ?? '', 15),
      paint(app['application-status']?.current ?? ''),
      String(scales.get(name) ?? 0),
      app['charm-name'] ?? '',
      app['charm-channel'] ?? '',
      String(app['charm-rev'] ?? ''),
      app.exposed ? 'yes' : 'no',
      visibleLine(app['application-status']?.message ?? ''),
    ];
  });
  return {
    rows: [['App', 'Version', 'Status', 'Scale', 'Charm', 'Channel', 'Rev', 'Exposed', 'Message'], ...rows],
    right: [3, 6],
  };
}

/** Section of applications whose units take a charm in batches. */
function rolloutsSection({ applications }: FormattedStatus, paint: Paint): Section {
  const rows = sorted(applications).flatMap(([name, { rollout }]): Cell[][] => {
    if (!rollout) return [];
    const { kind, state, upgraded, total, message } = rollout;
    return [
      [
        name,
        kind,
        takenWords(rollout.to, rollout.resources),
        paint(state),
        `${upgraded}/${total}`,
        visibleLine(message),
      ],
    ];
  });
  if (rows.length === 0) return { rows };
  return { rows: [['Roll-out', 'Kind', 'To', 'State', 'Units', 'Message'], ...rows] };
}

/**
 * Counts units by application. Subordinate units are listed under their principals but count for their own application.
 */
function countUnits(applications: FormattedStatus['applications']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (units: Readonly<Record<string, FormattedUnit>> | undefined): void => {
    for (const [name, unit] of Object.entries(units ?? {})) {
      const application = unitApplication(name);
      counts.set(application, (counts.get(application) ?? 0) + 1);
      count(unit.subordinates);
    }
  };
  for (const application of Object.values(applications)) count(application.units);
  return counts;
}

function unitsSection({ applications }: FormattedStatus, paint: Paint): Section {
  const rows: Cell[][] = [];
  const add = (name: string, unit: FormattedUnit, depth: number): void => {
    rows.push([
      `${'  '.repeat(depth)}${name}${unit.leader ? '*' : ''}`,
      paint(unit['workload-status']?.current ?? ''),
      paint(unit['juju-status']?.current ?? ''),
      unit.machine ?? '',
      unit['public-address'] ?? unit.address ?? '',
      groupPorts(unit['open-ports'] ?? []),
      unitMessage(unit),
    ]);
    for (const [child, subordinate] of sorted(unit.subordinates ?? {})) add(child, subordinate, depth + 1);
  };
  for (const [, application] of sorted(applications)) {
    for (const [name, unit] of sorted(application.units ?? {})) add(name, unit, 0);
  }
  if (rows.length === 0) return { rows };
  return { rows: [['Unit', 'Workload', 'Agent', 'Machine', 'Public address', 'Ports', 'Message'], ...rows] };
}

/**
 * Returns the message with the agent's activity before the charm's own message: `(install) installing charm software`,
 * and behind it the charm that the unit still runs: `ready (still on local:web-1)`.
 */
function unitMessage(unit: FormattedUnit): string {
  const hookActivity = /^running (.+) hook$/.exec(unit['juju-status']?.message ?? '');
  const message = visibleLine(unit['workload-status']?.message ?? '');
  const isExecuting = hookActivity && unit['juju-status']?.current === 'executing';
  const older = unit['upgrading-from'];
  return [isExecuting ? `(${hookActivity[1]})` : '', message, older ? `(still on ${older})` : '']
    .filter((part) => part !== '')
    .join(' ');
}

export function machinesSection(machines: Readonly<Record<string, FormattedMachine>>, paint: Paint): Section {
  const rows: Cell[][] = [];
  const add = (id: string, machine: FormattedMachine): void => {
    const modification = machine['modification-status'];
    const message =
      modification?.current === 'error' ? modification.message : machine['machine-status']?.message;
    rows.push([
      id,
      paint(machine['juju-status'].current ?? ''),
      machine['dns-name'] ?? '',
      machine['display-name'] ?? machine['instance-id'] ?? '',
      machine.base ? `${machine.base.name}@${machine.base.channel}` : '',
      /availability-zone=(\S+)/.exec(machine.hardware ?? '')?.[1] ?? '',
      visibleLine(message ?? ''),
    ]);
    for (const [child, container] of sorted(machine.containers ?? {})) add(child, container);
  };
  for (const [id, machine] of sorted(machines)) add(id, machine);
  if (rows.length === 0) return { rows };
  return { rows: [['Machine', 'State', 'Address', 'Inst id', 'Base', 'AZ', 'Message'], ...rows] };
}

function straysSection({ strays }: FormattedStatus): Section {
  if (!strays) return { rows: [] };
  const rows = Object.entries(strays.instances).map(([id, { machine = '', since, message }]) => [
    id,
    machine,
    since,
    message,
  ]);
  return { rows: [['Stray instance', 'Made for', 'Since', 'Message'], ...rows] };
}

function relationsSection(relations: readonly RelationStatus[]): Section {
  const rows = relations
    .map((relation) => {
      const provider = relation.endpoints.find((e) => e.role === 'provider') ?? relation.endpoints[0]!;
      const requirer = relation.endpoints.find((e) => e.role === 'requirer') ?? provider;
      const type =
        relation.endpoints.length === 1 ? 'peer' : relation.scope === 'container' ? 'subordinate' : 'regular';
      const { status, info } = relation.status;
      const message = info
        ? status === 'joined'
          ? info
          : `${status} - ${info}`
        : status === 'joined'
          ? ''
          : status;
      return [
        `${provider.application}:${provider.name}`,
        `${requirer.application}:${requirer.name}`,
        relation.interface,
        type,
        message,
      ];
    })
    .sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1));
  if (rows.length === 0) return { rows };
  return { rows: [['Integration provider', 'Requirer', 'Interface', 'Type', 'Message'], ...rows] };
}

/** Groups ports by protocol: `80/tcp`, `443/tcp`, `53/udp` → `80,443/tcp 53/udp` */
export function groupPorts(ports: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const port of ports) {
    const [range, protocol = ''] = port.split('/') as [string, string?];
    groups.set(protocol, [...(groups.get(protocol) ?? []), range]);
  }
  const number = (range: string): number => Number(range.split('-')[0]);
  return [...groups]
    .map(([protocol, ranges]) => {
      if (!protocol) return ranges.join(',');
      return `${ranges.sort((a, b) => number(a) - number(b)).join(',')}/${protocol}`;
    })
    .join(' ');
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}
