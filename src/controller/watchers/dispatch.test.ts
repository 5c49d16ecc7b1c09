import { expect, test } from 'vitest';
import type { Commit, Store } from '../../store/store.ts';
import { createDispatch, type Dispatch, type Topic } from './dispatch.ts';

interface Kinds {
  readonly unit: { readonly name: string; readonly machine?: string; readonly tags?: readonly string[] };
  readonly machine: { readonly id: string };
}
type Unit = Kinds['unit'];

/** A dispatch, the changes that it reported by topic, and a unit's change in the space `m`. */
function setUp(): {
  dispatch: Dispatch<Kinds>;
  listen: (topic: Topic<Kinds>, space?: string) => () => void;
  notified: string[];
  change: (before: Unit | undefined, after: Unit | undefined) => void;
} {
  let onCommit: ((commit: Commit<Kinds>) => void) | undefined;
  const store = {
    watch(listener: typeof onCommit) {
      onCommit = listener;
      return () => (onCommit = undefined);
    },
  } as unknown as Store<Kinds>;
  const dispatch = createDispatch<Kinds>(store, {
    unit: { machine: (unit) => unit.machine, tag: (unit) => unit.tags },
  });
  const notified: string[] = [];
  return {
    dispatch,
    notified: notified,
    listen: (topic, space = 'm') => dispatch.on(space, topic, ({ id }) => notified.push(`${topic}: ${id}`)),
    change(before, after) {
      const id = (after ?? before)!.name;
      onCommit?.({
        revision: 1,
        at: '',
        by: '',
        changes: [{ space: 'm', kind: 'unit', id, before, after }] as Commit<Kinds>['changes'],
      });
    },
  };
}

test('a listener hears of a kind, a document or an index value, and of nothing else', () => {
  const { listen, notified, change } = setUp();
  const topics: readonly Topic<Kinds>[] = [
    'unit',
    'unit a/0',
    'unit a/1',
    'unit@machine 0',
    'unit@machine 1',
    'machine',
  ];
  for (const topic of topics) listen(topic);
  listen('unit', 'another space');
  change(undefined, { name: 'a/0', machine: '0' });
  expect(notified).toEqual(['unit: a/0', 'unit a/0: a/0', 'unit@machine 0: a/0']);
});

test('a document that moves is reported at both index values, a document that stays once', () => {
  const { listen, notified, change } = setUp();
  listen('unit@machine 0');
  listen('unit@machine 1');
  change({ name: 'a/0', machine: '0' }, { name: 'a/0', machine: '1' });
  expect(notified.splice(0)).toEqual(['unit@machine 0: a/0', 'unit@machine 1: a/0']);
  change({ name: 'a/0', machine: '1' }, { name: 'a/0', machine: '1' });
  expect(notified.splice(0)).toEqual(['unit@machine 1: a/0']);
  change({ name: 'a/0', machine: '1' }, undefined);
  expect(notified).toEqual(['unit@machine 1: a/0']);
});

test('a topic works for an index with several values and for names with spaces', () => {
  const { listen, notified, change } = setUp();
  listen('unit@tag 3 mysql');
  listen('unit@tag db');
  change({ name: 'a/0', tags: ['db', '3 mysql'] }, { name: 'a/0', tags: ['db'] });
  expect(notified).toEqual(['unit@tag db: a/0', 'unit@tag 3 mysql: a/0']);
});

test('an ended listener hears no more, others go on, and one added during a report hears the next', () => {
  const { dispatch, listen, notified, change } = setUp();
  const end = listen('unit a/0');
  const endThird = listen('unit a/0');
  end();
  end();
  const once = dispatch.on('m', 'unit', () => {
    once();
    listen('unit');
  });
  change(undefined, { name: 'a/0' });
  expect(notified.splice(0)).toEqual(['unit a/0: a/0']);
  change({ name: 'a/0' }, { name: 'a/0', machine: '0' });
  expect(notified.splice(0)).toEqual(['unit: a/0', 'unit a/0: a/0']);
  endThird();
  change({ name: 'a/0' }, undefined);
  expect(notified).toEqual(['unit: a/0']);
});
