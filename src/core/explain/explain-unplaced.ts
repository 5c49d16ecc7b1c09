/** Explanations of units that have no machine yet. */
import type { ApplicationDoc } from '../application/document.ts';
import { JujuError } from '../errors.ts';
import { checkPlacedOn } from '../machine/check-placed-on.ts';
import { machineScope, placedOn } from '../placement.ts';
import type { UnitDoc } from '../unit/document.ts';
import { workloadStatus } from '../unit/workload-status.ts';
import type { Actor, Explanation, ExplainView } from './explanation.ts';
import type { Walk } from './walk.ts';
import { defined } from '../defined.ts';

type Details = Pick<Explanation, 'text' | 'actor' | 'waitsFor' | 'more'>;

/** Explains an unplaced unit: its application is pending, or its placement is due or has a problem. */
export function explainUnplaced(unit: UnitDoc, { view, explainCause }: Walk): Details {
  const { name, application, unplaced, life } = unit;
  const actorOfUnit = { name: `unit ${name}`, commands: [] };
  if (life !== 'alive')
    return {
      text: 'it never had a machine',
      actor: { kind: 'cleaner', ...actorOfUnit, task: 'removes the record' },
      waitsFor: [],
      more: 0,
    };
  const text = `it has no machine yet: ${workloadStatus(unit, view).message}`;
  const unitApplication = view.get('application', application);
  const stuck: Actor = { ...cannotBePlaced(unit), kind: 'operator', name: actorOfUnit.name };
  if (unitApplication?.pending) {
    const problem = problemThen(unit, unitApplication, view);
    return {
      text: problem === '' ? text : `${text}; it cannot be placed then: ${problem}`,
      ...defined({ actor: problem === '' ? undefined : stuck }),
      waitsFor: [explainCause({ kind: 'application', id: application })],
      more: 0,
    };
  }
  const actor: Actor =
    unplaced?.problem === undefined
      ? { kind: 'placer', ...actorOfUnit, task: 'assigns it a machine' }
      : stuck;
  return { text, actor, waitsFor: [], more: 0 };
}

/** The problem that would keep the unit from its placement's machine if it were placed now; '' = none. */
function problemThen({ unplaced }: UnitDoc, { name, base }: ApplicationDoc, view: ExplainView): string {
  const placement = unplaced?.placement;
  const id = placement && placedOn(placement);
  if (placement === undefined || id === undefined) return '';
  try {
    checkPlacedOn(id, view.get('machine', id), placement.scope === machineScope ? { name, base } : undefined);
    return '';
  } catch (error) {
    if (error instanceof JujuError) return error.message;
    throw error;
  }
}

function cannotBePlaced({ name, application, principal }: UnitDoc): Pick<Actor, 'task' | 'commands'> {
  const task = 'fix the problem above: it is then placed automatically';
  if (principal !== undefined) return { task, commands: [] };
  return {
    task: `${task}; or replace it by another unit`,
    commands: [
      { line: `add-unit ${application} --to <machine>`, effect: 'adds one on another machine' },
      { line: `remove-unit ${name}`, effect: 'removes this one' },
    ],
  };
}
