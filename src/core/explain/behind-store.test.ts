import { expect, test } from 'vitest';
import { application, explainView, lines, machine, unit } from '../../testing/explain-view.ts';
import { actorsOf, explain } from './explain.ts';

const documents = { application: application('web'), machine: machine('0'), unit: unit('web/0', '0') };
const problem = 'the disk of /srv/store.db is full: free some space';
const readOnly = explainView(documents, { absent: { 0: 20 }, storeProblem: problem });

test('a read-only store is the only problem that anybody is asked to act on', () => {
  expect(lines({ kind: 'unit', id: 'web/0' }, readOnly)).toEqual([
    'unit web/0: alive, its agent is lost with that of machine 0',
    `  the controller's store: read-only: ${problem}`,
    '  machine 0: alive, its agent has no connection; instance i-0 is pending',
    "> operator the controller's store: repair the store as its message says; until then the controller refuses all changes",
  ]);
});

test('no command is offered while the store would refuse every command', () => {
  const well = explainView(documents, { storeProblem: problem });
  const explanation = explain({ kind: 'machine', id: '0' }, well);
  expect(explanation).not.toHaveProperty('removal');
  expect(actorsOf(explanation).flatMap(({ commands }) => commands)).toEqual([]);
});
