/** A unit that has no machine yet. */
import type { UnitDoc } from '../unit/document.ts';
import { workloadStatus } from '../unit/workload-status.ts';
import type { Actor, Explanation } from './explanation.ts';
import type { Walk } from './walk.ts';

type Told = Pick<Explanation, 'text' | 'actor' | 'waitsFor' | 'more'>;

/** It waits for its application; or it is to be placed, unless something is in the way of that. */
export function explainUnplaced(unit: UnitDoc, { view, tell }: Walk): Told {
  const { name, application, unplaced, life } = unit;
  const own = { name: `unit ${name}`, commands: [] };
  if (life !== 'alive')
    return {
      text: 'it never had a machine',
      actor: { kind: 'cleaner', ...own, task: 'removes the record' },
      waitsFor: [],
      more: 0,
    };
  const text = `it has no machine yet: ${workloadStatus(unit, view).message}`;
  const waits = view.get('application', application)?.pending !== undefined;
  if (waits) return { text, waitsFor: [tell({ kind: 'application', id: application })], more: 0 };
  const actor: Actor =
    unplaced?.problem === undefined
      ? { kind: 'placer', ...own, task: 'finds it a machine' }
      : { ...cannotBePlaced(unit), kind: 'operator', name: own.name };
  return { text, actor, waitsFor: [], more: 0 };
}

function cannotBePlaced({ name, application, principal }: UnitDoc): Pick<Actor, 'task' | 'commands'> {
  const task = 'mend what is in the way: it is then placed by itself';
  if (principal !== undefined) return { task, commands: [] };
  return {
    task: `${task}; or let another take its place`,
    commands: [
      { line: `grigri add-unit ${application} --to <machine>`, effect: 'adds one elsewhere' },
      { line: `grigri remove-unit ${name}`, effect: 'gives this one up' },
    ],
  };
}
