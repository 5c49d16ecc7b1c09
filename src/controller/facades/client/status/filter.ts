import { JujuError } from '../../../../core/errors.ts';
import type { ApplicationDoc } from '../../../../core/application/document.ts';
import type { MachineDoc } from '../../../../core/machine/document.ts';
import type { UnitDoc } from '../../../../core/unit/document.ts';
import { globMatcher } from '../../../../core/glob.ts';
import { checkLimit, limits } from '../../../../core/limits.ts';
import { leaderOf } from '../../../transactions/agent/leadership.ts';
import { reachable } from '../../shared/addresses.ts';
import { openedPorts } from '../../shared/opened-ports.ts';
import type { StatusScope } from './scope.ts';

/** Entities that a filtered status shows, by name. */
export interface Selection {
  readonly applications: ReadonlySet<string>;
  readonly units: ReadonlySet<string>;
  readonly machines: ReadonlySet<string>;
}

/**
 * Selects what the patterns match, with what belongs to it: a unit brings its application, machine, principal and
 * subordinates; an application its units; a machine the units on it, its host and its containers. A pattern is a name
 * (`*`, `?` and `[…]` match as in paths), `mysql/leader`, a status, a port range, an address, or `[not] exposed`. Names
 * that exist are looked up; only other patterns read the whole model. No pattern: undefined, everything. Errors: '' for
 * a pattern that can match nothing; `quota limit exceeded` for too many that are not names.
 */
export async function select(
  scope: StatusScope,
  patterns: readonly string[],
): Promise<Selection | undefined> {
  if (patterns.length === 0) return undefined;
  const selected = { applications: new Set<string>(), units: new Set<string>(), machines: new Set<string>() };
  const exposure =
    patterns[0] === 'exposed' ? true : patterns[0] === 'not' && patterns[1] === 'exposed' ? false : undefined;
  if (exposure !== undefined) {
    for (const application of scope.view.list('application'))
      if ((application.exposed !== undefined) === exposure)
        await addApplication(scope, selected, application);
    return selected;
  }
  let scans = 0;
  for (const pattern of patterns) {
    if (!/^[\w*?[\]\-/.:%]+$/.test(pattern))
      throw new JujuError('', `pattern "${pattern}" contains invalid characters`);
    if (await addNamed(scope, selected, pattern)) continue;
    checkLimit(limits.statusPatterns, ++scans);
    await addMatching(scope, selected, pattern);
  }
  return selected;
}

interface Growing {
  applications: Set<string>;
  units: Set<string>;
  machines: Set<string>;
}

async function addNamed(scope: StatusScope, selected: Growing, name: string): Promise<boolean> {
  const application = scope.view.get('application', name);
  const unit = scope.view.get('unit', leaderIn(scope, name) || name);
  const machine = scope.view.get('machine', name);
  if (application) await addApplication(scope, selected, application);
  if (unit) addUnit(scope, selected, unit);
  if (machine) addMachine(scope, selected, machine);
  return Boolean(application ?? unit ?? machine);
}

/** The unit that `mysql/leader` stands for; '' = none. */
function leaderIn({ view, now }: StatusScope, name: string): string {
  return name.endsWith('/leader') ? leaderOf(view, name.slice(0, -'/leader'.length), now) : '';
}

async function addMatching(scope: StatusScope, selected: Growing, pattern: string): Promise<void> {
  const glob = globMatcher(pattern);
  const { view } = scope;
  for (const application of view.list('application')) {
    if (glob(application.name)) await addApplication(scope, selected, application);
    await scope.pause();
  }
  for (const unit of view.list('unit')) {
    if (glob(unit.name) || unitShows(scope, unit, pattern, glob)) addUnit(scope, selected, unit);
    await scope.pause();
  }
  for (const machine of view.list('machine')) {
    if (
      glob(machine.id) ||
      reachable(machine).some(glob) ||
      glob(machine.hostname) ||
      glob(machine.instance?.id ?? '')
    )
      addMachine(scope, selected, machine);
    await scope.pause();
  }
}

function unitShows(
  scope: StatusScope,
  unit: UnitDoc,
  pattern: string,
  glob: (text: string) => boolean,
): boolean {
  const { agent, workload } = scope.unitStatus(unit);
  return (
    agent.status === pattern ||
    workload.status === pattern ||
    openedPorts(unit).some((range) => range === pattern || glob(range))
  );
}

async function addApplication(
  scope: StatusScope,
  selected: Growing,
  application: ApplicationDoc,
): Promise<void> {
  selected.applications.add(application.name);
  for (const unit of scope.view.find('unit', 'application', application.name)) {
    addUnit(scope, selected, unit);
    await scope.pause();
  }
}

function addUnit({ view }: StatusScope, selected: Growing, unit: UnitDoc): void {
  const principal = unit.principal === undefined ? unit : (view.get('unit', unit.principal) ?? unit);
  const relatedUnits = unit.principal === undefined ? view.find('unit', 'principal', unit.name) : [unit];
  for (const one of [principal, ...relatedUnits]) {
    selected.units.add(one.name);
    selected.applications.add(one.application);
  }
  if (unit.machine !== undefined) addHosts(selected, unit.machine);
}

function addMachine(scope: StatusScope, selected: Growing, machine: MachineDoc): void {
  addHosts(selected, machine.id);
  for (const unit of scope.view.find('unit', 'machine', machine.id)) addUnit(scope, selected, unit);
  for (const container of scope.view.find('machine', 'parent', machine.id))
    addMachine(scope, selected, container);
}

/** Adds the hosts of a container: `0/lxd/1` is in `0`. */
function addHosts(selected: Growing, id: string): void {
  for (let host = id; host !== ''; host = host.split('/').slice(0, -2).join('/')) selected.machines.add(host);
}
