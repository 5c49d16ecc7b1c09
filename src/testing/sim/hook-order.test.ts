import { describe, expect, test } from 'vitest';
import type { Hook } from '../../core/unit/local-state.ts';
import { HookHistory } from './hook-order.ts';
import { defined } from '../../core/defined.ts';

const unit = (kind: 'install' | 'start' | 'stop' | 'remove' | 'config-changed'): Hook => ({ kind });
const relation = (kind: string, remoteUnit?: string): Hook =>
  ({
    kind: `relation-${kind}`,
    relation: 1,
    endpoint: 'db',
    remoteApplication: 'db',
    ...defined({ remoteUnit }),
  }) as Hook;
const [install, start, stop, remove, config] = (
  ['install', 'start', 'stop', 'remove', 'config-changed'] as const
).map(unit) as [Hook, Hook, Hook, Hook, Hook];
const joined = relation('joined', 'db/0');
const changed = relation('changed', 'db/0');
const departed = relation('departed', 'db/0');
const created = relation('created');
const broken = relation('broken');

/** Returns the error about the last of these hooks, when each begins and is committed after the previous one. */
function violationOf(hooks: readonly Hook[]): string | undefined {
  const history = new HookHistory('web/0');
  let wrong: string | undefined;
  hooks.forEach((hook, n) => {
    const op = { kind: 'hook', step: 'pending', hook, hookId: `${n}`, failures: 0 };
    history.saved({ lastHook: n === 0 ? '' : `${n - 1}`, agent: { op } });
    wrong = history.saved({ lastHook: `${n}`, agent: { op: { kind: 'continue' } } });
  });
  return wrong;
}

test('the hooks of a whole life are in a valid order', () => {
  const life = [install, config, start, created, joined, changed, changed, departed, broken, stop, remove];
  life.forEach((_, n) => expect(violationOf(life.slice(0, n + 1))).toBeUndefined());
});

test('a counterpart that has departed may join again', () => {
  expect(violationOf([install, created, joined, changed, departed, joined])).toBeUndefined();
});

describe('invalid orders of hooks', () => {
  const cases: readonly (readonly [string, readonly Hook[]])[] = [
    ['config-changed was committed before install', [config]],
    ['install was committed twice', [install, install]],
    ['config-changed was committed after remove', [install, remove, config]],
    ['config-changed was committed after stop', [install, start, stop, config]],
    ['remove was committed before stop', [install, start, remove]],
    ['stop was committed before the end of relation 1', [install, start, created, joined, changed, stop]],
    ['db-relation-joined was committed before relation-created', [install, joined]],
    ['db-relation-created was committed twice', [install, created, created]],
    ['db-relation-joined was committed twice for db/0', [install, created, joined, joined]],
    ['db-relation-changed was committed for db/0, which is not there', [install, created, changed]],
    ['db-relation-departed was committed for db/0, which is not there', [install, created, departed]],
    [
      'db-relation-departed was committed for db/0 before its first relation-changed',
      [install, created, joined, departed],
    ],
    ['db-relation-broken was committed before db/0 departed', [install, created, joined, changed, broken]],
    ['db-relation-joined was committed after relation-broken', [install, created, broken, joined]],
  ];
  test.each(cases)('%s', (sentence, hooks) => expect(violationOf(hooks)).toBe(`unit web/0: ${sentence}`));
});

test('a hook that is committed twice is reported', () => {
  const history = new HookHistory('web/0');
  const op = (hook: Hook, hookId: string) => ({ kind: 'hook', step: 'pending', hook, hookId, failures: 0 });
  history.saved({ lastHook: '', agent: { op: op(install, 'a') } });
  history.saved({ lastHook: 'a', agent: { op: op(config, 'b') } });
  history.saved({ lastHook: 'b', agent: { op: { kind: 'continue' } } });
  expect(history.saved({ lastHook: 'a', agent: {} })).toBe('unit web/0: hook a was committed twice');
  expect(history.saved({ lastHook: 'c', agent: {} })).toBe(
    'unit web/0: a hook was committed that had not been saved as begun',
  );
});

test('a hook that runs again after its commit is reported', () => {
  const history = new HookHistory('web/0');
  history.saved({
    lastHook: '',
    agent: { op: { kind: 'hook', step: 'pending', hook: install, hookId: 'a' } },
  });
  expect(history.begins('install', undefined, undefined)).toBeUndefined();
  history.saved({ lastHook: 'a', agent: {} });
  expect(history.begins('install', undefined, undefined)).toMatch(/runs install though that was committed/);
});
