import { describe, expect, test } from 'vitest';
import { ago, application, explainView, status, unit } from '../../testing/explain-view.ts';
import type { UnitDoc } from './document.ts';
import { workloadStatus } from './workload-status.ts';

const pending = {
  since: ago(30),
  missing: [
    { endpoint: 'db', interface: 'mysql', applications: [] },
    { endpoint: 'logging-master', interface: 'syslog', applications: [] },
  ],
};
const waiting = (message: string, minutes: number) => ({ status: 'waiting', message, since: ago(minutes) });
const blocked = (message: string, minutes: number) => ({ ...waiting(message, minutes), status: 'blocked' });

describe('the workload status of a unit', () => {
  const shown = (
    more: Partial<UnitDoc>,
    app: Parameters<typeof application>[1] = {},
    stored: ReturnType<typeof status> = {},
  ) => {
    const { machine: _, ...one } = unit('wordpress/0', '')['wordpress/0']!;
    const view = explainView({ application: application('wordpress', app), status: stored });
    return workloadStatus({ ...one, ...more } as UnitDoc, view);
  };

  test('the workload status is the one that was set', () => {
    const set = status('workload', 'wordpress/0', 'active', 'ready');
    expect(shown({ machine: '0' }, { pending }, set)).toMatchObject({ status: 'active', message: 'ready' });
  });
  test('the workload status says that the unit waits for its machine', () => {
    expect(shown({ machine: '0' })).toEqual(waiting('waiting for machine', 60));
  });
  test('the workload status says what the application is missing, and since when', () => {
    expect(shown({ unplaced: {} }, { pending })).toEqual(
      blocked('missing relations: db (mysql), logging-master (syslog)', 30),
    );
  });
  test('the workload status is blocked by a missing relation and waiting for pending applications', () => {
    const db = { endpoint: 'db', interface: 'mysql' };
    const lacks = (...applications: string[]) => ({ since: ago(30), missing: [{ ...db, applications }] });
    expect(shown({ unplaced: {} }, { pending: lacks() })).toEqual(
      blocked('missing relation: db (mysql)', 30),
    );
    expect(shown({ unplaced: {} }, { pending: lacks('cluster') })).toEqual(
      waiting('waiting for application: cluster (db)', 30),
    );
  });
  test('the workload status of a unit made later is as old as the unit', () => {
    expect(shown({ unplaced: {}, createdAt: ago(5) }, { pending }).since).toBe(ago(5));
  });
  test('the workload status of a unit that is about to be placed waits for its machine', () => {
    expect(shown({ unplaced: {} })).toEqual(waiting('waiting for machine', 60));
  });
  test('the workload status says why the unit cannot be placed', () => {
    expect(shown({ unplaced: { problem: 'machine 5 not found' } })).toEqual(
      blocked('cannot be placed: machine 5 not found', 60),
    );
  });
  test('the workload status says what is missing rather than an earlier placement problem', () => {
    expect(shown({ unplaced: { problem: 'machine 5 not found' } }, { pending }).message).toMatch(
      /^missing relations/,
    );
  });
  test('the workload status of a unit with a machine is its own while the application is pending', () => {
    expect(shown({ machine: '0' }, { pending })).toEqual(waiting('waiting for machine', 60));
  });
});
