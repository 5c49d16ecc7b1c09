/** `status --format oneline` (short, line) and `summary`. */
import type { FormattedStatus, FormattedUnit } from './formatted.ts';
import { formatSections, type Section } from './tabwriter.ts';
import { sorted } from './yaml.ts';

/** A line for each unit: `- mysql/0: 10.0.0.2 (agent:idle, workload:active) 3306/tcp` */
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

/** Counts of machines and units by state, ports and subnets in use, applications with their units. */
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
  const applications = sorted(status.applications).map(([name, application]) => {
    let all = 0;
    let active = 0;
    const count = (units: Readonly<Record<string, FormattedUnit>> | undefined): void => {
      for (const unit of Object.values(units ?? {})) {
        add(unitStates, unit['workload-status']?.current ?? '');
        for (const port of unit['open-ports'] ?? []) ports.add(port);
        all++;
        if (unit['workload-status']?.current === 'active') active++;
        count(unit.subordinates);
      }
    };
    count(application.units);
    return [name, `${active}/${all}`, application.exposed ? 'exposed' : ''];
  });
  const states = (counts: ReadonlyMap<string, number>): string[][] =>
    [...counts].sort().map(([state, n]) => [`${state}:`, ` ${n} `]);
  const section = (rows: string[][]): Section => ({ rows, right: [0] });
  const total = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((a, b) => a + b, 0);
  return formatSections([
    section([
      ['Running on subnets:', [...subnets].sort().join(', '), ''],
      ['Utilizing ports:', [...ports].sort().join(', '), ''],
    ]),
    section([['# Machines:', `(${Object.keys(status.machines).length})`], ...states(machineStates)]),
    section([['# Units:', `(${total(unitStates)})`], ...states(unitStates)]),
    section([['# Applications:', `(${applications.length})`, ''], ...applications]),
  ]);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
