/** The cost of settling is counted in documents read, not in time. */
import { describe, expect, test } from 'vitest';
import { isThorough } from '../../testing/thorough.ts';
import { ModelOfRequirements, required } from '../../testing/requirement-model.ts';
import type { Settled } from './settle.ts';

const many = isThorough ? 10_000 : 1_000;
const charms = {
  link: { requires: { below: required('link') }, provides: { above: 'link' } },
  end: { provides: { above: 'link' } },
  outside: { requires: { below: required('link'), other: required('other') }, provides: { above: 'link' } },
  other: { provides: { other: 'other' } },
  agent: {
    subordinate: true,
    requires: { host: required('juju-info', { scope: 'container' }), master: required('master') },
  },
  master: { requires: { below: required('link') }, provides: { master: 'master' } },
};

interface Shape {
  readonly name: string;
  /** Builds a model of the given size and returns the relation to add. */
  readonly make: (model: ModelOfRequirements, n: number) => readonly [string, string];
}

const chain = (model: ModelOfRequirements, n: number, bottom: 'end' | 'link'): void => {
  for (let i = 0; i < n; i++) {
    model.add(i === 0 ? bottom : 'link', `a${i}`);
    if (i > 0) model.relate(`a${i}:below`, `a${i - 1}:above`);
  }
};

const shapes: readonly Shape[] = [
  {
    name: 'adding a principal on top of a chain',
    make(model, n) {
      chain(model, n, 'end');
      model.add('link', 'new');
      return ['new:below', `a${n - 1}:above`];
    },
  },
  {
    name: 'adding an application on top of a pending chain',
    make(model, n) {
      chain(model, n, 'link');
      model.add('link', 'new');
      return ['new:below', `a${n - 1}:above`];
    },
  },
  {
    name: 'adding a pending application under a pending chain',
    make(model, n) {
      chain(model, n, 'link');
      model.add('link', 'new');
      return ['a0:below', 'new:above'];
    },
  },
  {
    name: 'adding a second provider under a deployable chain',
    make(model, n) {
      chain(model, n, 'end');
      model.add('end', 'new');
      return ['a1:below', 'new:above'];
    },
  },
  {
    name: 'adding an application to a hub',
    make(model, n) {
      model.add('end', 'hub');
      for (let i = 0; i < n; i++) {
        model.add('link', `a${i}`);
        model.relate(`a${i}:below`, 'hub:above');
      }
      model.add('link', 'new');
      return ['new:below', 'hub:above'];
    },
  },
  {
    name: 'adding an application to a hub that waits for a pending one',
    make(model, n) {
      for (const name of ['hub', 'under']) model.add('link', name);
      model.relate('hub:below', 'under:above');
      for (let i = 0; i < n; i++) {
        model.add('link', `a${i}`);
        model.relate(`a${i}:below`, 'hub:above');
      }
      model.add('link', 'new');
      return ['new:below', 'hub:above'];
    },
  },
  {
    name: 'adding a principal to a subordinate that waits for a pending one',
    make(model, n) {
      for (const name of ['agent', 'master']) model.add(name, name);
      model.add('link', 'a');
      model.relate('agent:master', 'master:master');
      model.relate('master:below', 'a:above');
      for (let i = 0; i <= n; i++) model.add('end', `a${i}`);
      for (let i = 0; i < n; i++) model.relate('agent:host', `a${i}:juju-info`);
      return ['agent:host', `a${n}:juju-info`];
    },
  },
  {
    name: 'closing a circle among many applications',
    make(model, n) {
      for (let i = 0; i < n; i++) {
        model.add('outside', `a${i}`);
        model.add('link', `b${i}`);
        model.relate(`a${i}:below`, `b${i}:above`);
        model.relate(`b${i}:below`, `a${i}:above`);
      }
      model.add('other', 'new');
      return ['a7:other', 'new:other'];
    },
  },
];

function readsOf({ make }: Shape, n: number): { reads: number; settled: Settled } {
  const model = new ModelOfRequirements(charms);
  const ends = make(model, n);
  model.settle(model.applications.keys());
  const touched = model.relate(...ends);
  model.reads = 0;
  return { settled: model.settle(touched), reads: model.reads };
}

describe(`a relation reads no more in a model of ${many} applications than in one of 100`, () => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))('%s', (_, shape) => {
    const [small, large] = [readsOf(shape, 100), readsOf(shape, many)];
    expect(large.reads).toBeLessThanOrEqual(small.reads);
    expect(large.settled.deployable).toEqual(small.settled.deployable);
  });
});

describe('the cost of changes at a hub depends only on the number of its dependents', () => {
  const hub = (n: number): ModelOfRequirements => {
    const model = new ModelOfRequirements(charms);
    for (const name of ['end', 'link']) model.add(name, name);
    model.relate('link:below', 'end:above');
    for (let i = 0; i < n; i++) {
      model.add('link', `a${i}`);
      model.relate(`a${i}:below`, 'link:above');
    }
    model.settle(model.applications.keys());
    model.reads = 0;
    return model;
  };
  test.each([
    [
      'losing a hub costs its dependents',
      (model: ModelOfRequirements) => model.removeRelation('link:below', 'end:above'),
    ],
    [
      'a hub that comes back costs its dependents',
      (model: ModelOfRequirements) => {
        model.removeRelation('link:below', 'end:above');
        model.reads = 0;
        return model.integrate('link:below', 'end:above');
      },
    ],
  ])('%s', (_, change) => {
    const [small, large] = [hub(100), hub(many)];
    for (const [model, n] of [
      [small, 100],
      [large, many],
    ] as const)
      expect(change(model).changed.size).toBe(n + 1);
    expect(large.reads).toBeLessThan(1.1 * (many / 100) * small.reads);
  });

  test(`a hub whose ${many} providers are removed and added one by one costs each provider only once`, () => {
    const model = new ModelOfRequirements(charms);
    model.add('link', 'hub');
    for (let i = 0; i < many; i++) {
      model.add('end', `a${i}`);
      model.relate('hub:below', `a${i}:above`);
    }
    model.settle(model.applications.keys());
    model.reads = 0;
    for (let i = 0; i < many; i++) model.removeRelation('hub:below', `a${i}:above`);
    expect(Object.keys(model.missing)).toEqual(['hub']);
    for (let i = 0; i < many; i++) model.integrate('hub:below', `a${i}:above`);
    expect(model.missing).toEqual({});
    expect(model.reads).toBeLessThan(2 * many * 20);
  });
});
