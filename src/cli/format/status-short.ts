/** Formats `oneline` (short, line) and `summary` of status. */
import { unitApplication } from '../../core/names.ts';
import type { FormattedStatus, FormattedUnit } from './formatted.ts';
import { formatSections } from './tabwriter.ts';
import { sorted } from './yaml.ts';

/** Formats one line per unit: `- mysql/0: 10.0.0.2 (agent:idle, workload:active) 3306/tcp` */
export function statusOneline(status: FormattedStatus): string {
  let text = '';
  const add = (name: string, unit: FormattedUnit, depth: number): void => {
    const address = unit['public-address'] ?? unit.address ?? '';
    const ports = unit['open-ports']?.length ? ` ${unit['open-ports'].join(', ')}` : '';
    text += `\n${'  '.repeat(depth)}- ${name}: ${address} (agent:${unit['juju-status']?.current ?? ''}, workload:${unit['workload-status']?.current ?? ''})${ports}`;
    for (const [child, subordinate] of sorted(unit.subordinates ?? {})) add(child, subordinate, depth + 1);
  };
  for (const [, application] of sorted(status.applications)) {
    for (const [name, unit] of sorted(application.units ?? {})) add(name, unit, 0);
  }
  return `${text}\n`;
}

/** Formats counts of machines and units by state, ports and subnets in use, and applications with their units. */
export function statusSummary(status: FormattedStatus): string {
  const machineStates = new Map<string, number>();
  const subnets = new Set<string>();
  for (const machine of Object.values(status.machines)) {
    add(machineStates, machine['juju-status'].current ?? '');
    const address = machine['dns-name'] ?? '';
    if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) subnets.add(`${address.split('.').slice(0, 3).join('.')}.0/24`);
  }
  const unitStates = new Map<string, number>();
  const ports = new Set<string>();
  // Subordinate units are listed under their principals but count for their own application.
  const unitCounts = new Map<string, { unitCount: number; active: number }>();
  const count = (units: Readonly<Record<string, FormattedUnit>> | undefined): void => {
    for (const [name, unit] of Object.entries(units ?? {})) {
      const state = unit['workload-status']?.current ?? '';
      add(unitStates, state);
      for (const port of unit['open-ports'] ?? []) ports.add(port);
      const { unitCount, active } = unitCounts.get(unitApplication(name)) ?? { unitCount: 0, active: 0 };
      unitCounts.set(unitApplication(name), {
        unitCount: unitCount + 1,
        active: active + (state === 'active' ? 1 : 0),
      });
      count(unit.subordinates);
    }
  };
  for (const application of Object.values(status.applications)) count(application.units);
  const applications = sorted(status.applications).map(([name, { exposed }]) => {
    const { unitCount, active } = unitCounts.get(name) ?? { unitCount: 0, active: 0 };
    return [name, `${active}/${unitCount}`, exposed ? 'exposed' : ''];
  });
  const states = (counts: ReadonlyMap<string, number>): string[][] =>
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, n]) => [`${state}:`, ` ${n} `]);
  const total = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((a, b) => a + b, 0);
  const parts = [
    [
      ['Running on subnets:', [...subnets].sort().join(', '), ''],
      ['Utilizing ports:', [...ports].sort().join(', '), ''],
    ],
    [['# Machines:', `(${Object.keys(status.machines).length})`], ...states(machineStates)],
    [['# Units:', `(${total(unitStates)})`], ...states(unitStates)],
    [['# Applications:', `(${applications.length})`, ''], ...applications],
  ];
  // The first column has the same width in all parts.
  const width = Math.max(...parts.flat().map(([first = '']) => first.length));
  return formatSections(
    parts.map((rows) => ({ rows: rows.map(([first = '', ...rest]) => [first.padStart(width), ...rest]) })),
  );
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
