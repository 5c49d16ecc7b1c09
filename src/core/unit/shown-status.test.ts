import { describe, expect, test } from 'vitest';
import { ago, application, explainView, status, unit } from '../../testing/explain-view.ts';
import type { UnitDoc } from './document.ts';
import { shownStatus } from './shown-status.ts';

const pending = { since: ago(30), missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }] };
const waits = 'missing relation: db (mysql)';

describe('the shown status of a unit', () => {
  const shown = (
    more: Partial<UnitDoc>,
    app: Parameters<typeof application>[1] = {},
    { present = false, stored = {} }: { present?: boolean; stored?: ReturnType<typeof status> } = {},
  ): string[] => {
    const { machine: _, ...one } = unit('wordpress/0', '')['wordpress/0']!;
    const view = explainView({ application: application('wordpress', app), status: stored });
    const { agent, workload } = shownStatus({ ...one, ...more } as UnitDoc, view, present);
    return [agent.status, workload.status, workload.message];
  };
  const idle = status('unit-agent', 'wordpress/0', 'idle');

  test('a unit without a machine is idle while requirements are missing, and its agent is not lost', () => {
    expect(shown({ unplaced: {} }, { pending })).toEqual(['idle', 'blocked', waits]);
  });
  test('a unit that is about to be placed is allocating', () => {
    expect(shown({ unplaced: {} })).toEqual(['allocating', 'waiting', 'waiting for machine']);
  });
  test('a unit with a machine shows its own status, whatever the new units of its application wait for', () => {
    const missing = { machine: '0' };
    expect(shown(missing, { pending })).toEqual(['allocating', 'waiting', 'waiting for machine']);
    expect(shown(missing, { pending }, { stored: idle, present: true })[0]).toBe('idle');
    expect(shown(missing, { pending }, { stored: idle })[0]).toBe('lost');
  });
});
