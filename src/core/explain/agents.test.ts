/** Explanations of agents that do not connect, do not come back, do not answer, or have work left for others. */
import { describe, expect, test } from 'vitest';
import {
  ago,
  application,
  dying,
  explainView,
  inScope,
  lines,
  machine,
  relation,
  status,
  unit,
  type ViewOptions,
} from '../../testing/explain-view.ts';
import type { TaskDoc } from '../task/document.ts';
import { shortForm } from './short-form.ts';

const running = status('instance', '3', 'running', 'Running');
const active = (name: string) => status('workload', name, 'active', 'ready');

describe('an agent that has not connected after ten minutes', () => {
  const booting = (minutes: number, more: Parameters<typeof machine>[1] = {}) =>
    explainView(
      {
        machine: machine('3', more),
        status: {
          ...status('machine-agent', '3', 'pending'),
          ...status('instance', '3', 'running', 'Running', { minutes }),
        },
      },
      { absent: { 3: 60 } },
    );
  test('an agent that has not connected after ten minutes is the operator’s task, with instructions', () => {
    expect(lines({ kind: 'machine', id: '3' }, booting(10))).toEqual([
      'machine 3: alive, its agent has not come up yet; instance i-3 is running',
      '> operator machine 3 10m: find out why its agent does not connect: look at the console log of instance i-3 in the cloud, or log in; or remove the machine',
      '$ ssh 3',
      '$ reprovision-machine 3 --force',
      '$ remove-machine 3 --force',
    ]);
  });
  test('an agent that has not connected yet is waited for during the first ten minutes', () => {
    expect(lines({ kind: 'machine', id: '3' }, booting(9))[1]).toBe(
      '> agent machine 3 9m: comes up when the instance has started',
    );
  });
  test('an unmanaged host is offered neither a console log nor another instance', () => {
    const instance = {
      id: 'manual:h',
      displayName: '',
      hardware: {},
      isolation: '',
      unmanaged: true,
    } as const;
    expect(lines({ kind: 'machine', id: '3' }, booting(10, { instance })).slice(1)).toEqual([
      '> operator machine 3 10m: find out why its agent does not connect: log in and look for the cause; or remove the machine',
      '$ ssh 3',
      '$ remove-machine 3 --force',
    ]);
  });
});

describe('an agent that is disconnected', () => {
  const lost = (minutes: number) =>
    lines(
      { kind: 'machine', id: '3' },
      explainView({ machine: machine('3'), status: running }, { absent: { 3: minutes } }),
    );
  test('an agent that is disconnected for ten minutes is the operator’s task, with instructions', () => {
    expect(lost(12)).toEqual([
      'machine 3: alive, its agent has no connection; instance i-3 is running',
      '> operator machine 3 12m: find out why its agent does not connect: look at the console log of instance i-3 in the cloud, or log in; or remove the machine',
      '$ ssh 3',
      '$ reprovision-machine 3 --force',
      '$ remove-machine 3 --force',
    ]);
  });
  test('an agent that is disconnected for less than ten minutes may come back', () => {
    expect(lost(9).slice(1)).toEqual([
      '> operator machine 3 9m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 3 --force',
    ]);
  });
  test('a disconnected agent affects several units, and each can be given up, a subordinate with its principal', () => {
    const view = explainView(
      {
        application: application('mysql', dying(5)),
        unit: {
          ...unit('mysql/0', '3', dying(5)),
          ...unit('mysql/1', '3', dying(5)),
          ...unit('log/0', '3', { ...dying(5), principal: 'mysql/0' }),
        },
        machine: machine('3'),
      },
      { absent: { 3: 2 } },
    );
    expect(lines({ kind: 'application', id: 'mysql' }, view).filter((line) => /^[>$]/.test(line))).toEqual([
      '> operator machine 3 2m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 3 --force',
      '> operator unit mysql/0 2m: reconnect the agent, or force the removal of the unit',
      '$ remove-unit mysql/0 --force',
      '> operator unit mysql/1 2m: reconnect the agent, or force the removal of the unit',
      '$ remove-unit mysql/1 --force',
    ]);
  });
});

describe('an agent that is connected and silent', () => {
  const view = (frozen: ViewOptions['frozen'] = { 3: 2 }) =>
    explainView(
      {
        application: application('mysql'),
        unit: unit('mysql/0', '3'),
        machine: machine('3'),
        status: { ...running, ...active('mysql/0') },
      },
      { frozen },
    );
  const seeWhy = [
    '> operator machine 3 2m: find out why its agent does not answer: it is stopped, or the machine hangs',
    '$ ssh 3',
  ];
  test('a silent agent is a problem of its machine, of its units, of their application and of the model', () => {
    expect(lines({ kind: 'machine', id: '3' }, view())).toEqual([
      'machine 3: alive, its agent is connected but has not answered for 2m; instance i-3 is running',
      ...seeWhy,
    ]);
    expect(lines({ kind: 'unit', id: 'mysql/0' }, view())).toEqual([
      'unit mysql/0: alive, its agent does not answer, like that of machine 3',
      '  machine 3: alive, its agent is connected but has not answered for 2m; instance i-3 is running',
      ...seeWhy,
    ]);
    expect(lines({ kind: 'application', id: 'mysql' }, view())[0]).toBe(
      'application mysql: alive, its unit needs attention',
    );
    expect(lines({ kind: 'model', id: 'u' }, view())[0]).toBe('model default: alive, 2 problems in it');
  });
  test('an agent whose ping may be on its way is not reported as silent', () => {
    expect(lines({ kind: 'machine', id: '3' }, view({ 3: 0.9 }))[0]).toBe(
      'machine 3: alive, no problems found',
    );
  });
  test('a silent agent shows in the short form of dying entities', () => {
    const goes = explainView(
      { unit: unit('mysql/0', '3', dying(3)), machine: machine('3', dying(3)) },
      { frozen: { 3: 2 } },
    );
    expect(shortForm({ kind: 'unit', id: 'mysql/0' }, goes)).toBe(
      'dying for 3m: the agent of machine 3 does not answer',
    );
    expect(shortForm({ kind: 'machine', id: '3' }, goes)).toBe(
      'dying for 3m: waiting for unit mysql/0; its agent does not answer',
    );
  });
});

describe('a running unit that others wait for', () => {
  const task = (id: string, more: Partial<TaskDoc>): Record<string, Partial<TaskDoc>> => ({
    [id]: { id, receiver: 'web/0', name: 'backup', status: 'pending', enqueued: ago(3), ...more },
  });
  const owing = (says: ReturnType<typeof status>) =>
    explainView({
      application: application('web'),
      unit: unit('web/0', '0'),
      machine: machine('0'),
      relation: {
        ...relation(1, 'web:db mysql:server', dying(1)),
        ...relation(2, 'web:logs log:in'),
      },
      scope: { ...inScope(1, 'web/0'), ...inScope(2, 'web/0') },
      task: { ...task('4', { status: 'completed' }), ...task('5', {}), ...task('6', { name: 'juju-exec' }) },
      status: says,
    });
  const all = 'leave relation web:db mysql:server, run task 5 (backup) and run task 6 (exec)';

  test('a running unit shows the work that others wait for', () => {
    expect(lines({ kind: 'unit', id: 'web/0' }, owing(active('web/0')))).toEqual([
      `unit web/0: alive, its agent has yet to ${all}`,
      `> agent unit web/0 3m: has yet to ${all}`,
    ]);
  });
  test('a running unit shows the work that others wait for beside its charm’s status', () => {
    expect(
      lines({ kind: 'unit', id: 'web/0' }, owing(status('workload', 'web/0', 'blocked', 'no disk'))),
    ).toEqual([
      'unit web/0: alive, its charm reports blocked: no disk',
      `  agent of unit web/0: has yet to ${all}`,
      '> operator unit web/0 1m: do what the message of the charm asks for',
      `> agent unit web/0 3m: has yet to ${all}`,
    ]);
  });
  test('a unit whose charm is to be replaced shows the upgrade as work of its agent', () => {
    const view = explainView({
      application: application('web', { charmUrl: 'local:web-1' }),
      unit: unit('web/0', '0', { charmUrl: 'local:web-0' }),
      machine: machine('0'),
      status: active('web/0'),
    });
    expect(lines({ kind: 'unit', id: 'web/0' }, view)[0]).toBe(
      'unit web/0: alive, its agent has yet to upgrade to charm local:web-1',
    );
  });
});
