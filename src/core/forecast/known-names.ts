/** Whether a model has what events of a forecast name, or may have it by then (forecasts.md#events). */
import { hookNames } from '../charm/hook-names.ts';
import { findEntity, numberOf, sequenceOfMachine } from '../explain/find-entity.ts';
import { JujuError } from '../errors.ts';
import type { Refs } from '../impediments.ts';
import type { ModelDoc } from '../model/document.ts';
import { unitApplication } from '../names.ts';
import { suggestions } from '../suggestions.ts';
import { inEvent, type ForecastEvent, type Happening, type HookUnits } from './events.ts';

interface KnownModel extends Refs {
  readonly model: ModelDoc | undefined;
}

/** How many units of each application and machines may come. */
interface Additions {
  readonly units: ReadonlyMap<string, number>;
  readonly machines: number;
}

/**
 * Checks the names that events have, but for zones. Errors: `not found`, with the event and the nearest name or the
 * names there are.
 */
export function checkNames(events: readonly ForecastEvent[], known: KnownModel): void {
  // A file may add anything.
  if (events.some(({ what }) => what.kind === 'apply')) return;
  const additions = additionsOf(events, known);
  for (const { text, what } of events) inEvent(text, () => check(what, known, additions));
}

function additionsOf(events: readonly ForecastEvent[], known: KnownModel): Additions {
  const units = new Map<string, number>();
  // Each unit without a machine may get one of its own.
  let machines = [...known.list('unit')].filter(({ machine }) => machine === undefined).length;
  for (const { what } of events) {
    if (what.kind !== 'command' || what.command.do !== 'add-unit') continue;
    const { application, units: count } = what.command;
    units.set(application, (units.get(application) ?? 0) + count);
    machines += count;
  }
  return { units, machines };
}

/** Checks that the cloud has the zones of the events; `zones` absent = it has none. Errors: `not found`, with its zones. */
export function checkZones(events: readonly ForecastEvent[], zones: readonly string[] = []): void {
  const all = zones.length > 0 ? `zones ${zones.join(', ')}` : 'no zones';
  for (const { text, what } of events)
    inEvent(text, () => {
      if (what.kind === 'zone' && !zones.includes(what.zone))
        throw new JujuError('not found', `zone "${what.zone}" not found; the cloud has ${all}`);
    });
}

function check(what: Happening, known: KnownModel, additions: Additions): void {
  switch (what.kind) {
    case 'machine':
    case 'cut-off':
      return checkMachine(what.machine, known, additions);
    case 'hook':
      return checkHook(what.units, what.hook, known, additions);
    case 'command': {
      const { command } = what;
      if ('machine' in command) checkMachine(command.machine, known, additions);
      else if ('unit' in command) checkUnit(command.unit, known, additions);
      else checkApplication(command.application, known);
      return;
    }
    case 'apply':
    case 'cloud':
    case 'controller-killed':
    case 'zone':
  }
}

function checkApplication(name: string, known: KnownModel): void {
  if (!known.get('application', name)) findEntity(['application', name], known);
}

function checkMachine(id: string, known: KnownModel, { machines }: Additions): void {
  if (!mayCome(id, sequenceOfMachine(id), machines, known)) findEntity([id], known);
}

function checkUnit(name: string, known: KnownModel, { units }: Additions): void {
  const application = unitApplication(name);
  if (!mayCome(name, `unit ${application}`, units.get(application) ?? 0, known)) findEntity([name], known);
}

/** Whether the number is one of the next `count` of its sequence. */
function mayCome(name: string, sequence: string, count: number, known: KnownModel): boolean {
  const next = known.get('sequence', sequence)?.next ?? 0;
  const number = numberOf(name);
  return number >= next && number < next + count;
}

function checkHook(units: HookUnits, hook: string, known: KnownModel, additions: Additions): void {
  if ('unit' in units) checkUnit(units.unit, known, additions);
  else checkApplication(units.application, known);
  const name = 'unit' in units ? unitApplication(units.unit) : units.application;
  const charm = known.get('charm', known.get('application', name)?.charmUrl ?? '');
  if (hook === '' || !charm) return;
  const hooks = hookNames(Object.keys(charm.meta.endpoints), Object.keys(charm.meta.storage));
  if (hooks.includes(hook)) return;
  const near = suggestions(hook, hooks);
  const more =
    near.length > 0
      ? `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
      : `it has ${hooks.join(', ')}`;
  throw new JujuError('not found', `hook "${hook}" of ${name} not found; ${more}`);
}
