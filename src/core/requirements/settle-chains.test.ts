import { describe, expect, test } from 'vitest';
import { ModelOfRequirements, required } from '../../testing/requirement-model.ts';
import { requiringCharms } from '../../testing/requiring-charms.ts';
import { isThorough } from '../../testing/thorough.ts';

describe('settling of long chains', () => {
  const link = { requires: { below: required('link') }, provides: { above: 'link' } };
  const end = { provides: { above: 'link' } };
  const apart = (length: number): ModelOfRequirements => {
    const model = new ModelOfRequirements({ link, end });
    model.deploy('end', 'a0');
    for (let i = 1; i < length; i++) model.deploy('link', `a${i}`);
    return model;
  };
  const ends = (i: number): [string, string] => [`a${i}:below`, `a${i - 1}:above`];
  const whole = (length: number): ModelOfRequirements => {
    const model = new ModelOfRequirements({ link, end });
    model.add('end', 'a0');
    for (let i = 1; i < length; i++) {
      model.add('link', `a${i}`);
      model.relate(...ends(i));
    }
    model.settle(model.applications.keys());
    return model;
  };
  const names = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `a${from + i}`);

  test('a chain of 1,000 applications built from its end is deployed relation by relation', () => {
    const model = apart(1_000);
    const deployed = names(1, 1_000).map((_, i) => model.integrate(...ends(i + 1)).deployable);
    expect(deployed).toEqual(names(1, 1_000).map((name) => [name]));
  });

  test('a chain of 1,000 applications built from its top is deployed in order with the last relation', () => {
    const model = apart(1_000);
    for (let i = 999; i > 1; i--) expect(model.integrate(...ends(i)).deployable).toEqual([]);
    expect(model.integrate(...ends(1)).deployable).toEqual(names(1, 1_000));
    expect(model.missing).toEqual({});
  });

  test('a chain of 1,000 applications stays consistent when it is cut and repaired at several points', () => {
    const model = whole(1_000);
    for (let i = 1; i < 1_000; i += isThorough ? 29 : 97) {
      expect([...model.removeRelation(...ends(i)).changed.keys()].sort()).toEqual(names(i, 1_000).sort());
      expect(model.integrate(...ends(i)).deployable).toEqual(names(i, 1_000));
    }
  });

  test('a chain of 100,000 applications (5,000 in a quick run) is cut and repaired at its end, and then made a circle', () => {
    const count = isThorough ? 100_000 : 5_000;
    const model = whole(count);
    expect(Object.keys(model.missing)).toEqual([]);
    expect(model.removeRelation(...ends(1)).changed.size).toBe(count - 1);
    expect(model.integrate(...ends(1)).deployable).toHaveLength(count - 1);
    model.removeApplication('a0');
    model.deploy('link', 'a0');
    model.integrate(...ends(1));
    const { deployable, circles } = model.integrate('a0:below', `a${count - 1}:above`);
    expect(deployable).toHaveLength(count);
    expect(circles.map((circle) => circle.length)).toEqual([count]);
  }, 120_000);

  test.each([
    ['a circle', ['a:next b:prev', 'b:next c:prev', 'c:next a:prev']],
    [
      'two circles that share one',
      ['a:next both:prev', 'b:next both:prev', 'both:next a:prev', 'both:other b:prev'],
    ],
    ['a circle on a chain', ['a:next tied:prev', 'tied:next a:prev', 'tied:outside cluster', 'cluster ceph']],
    ['a chain on a circle', ['a:next b:prev', 'b:next a:prev', 'c:next b:prev']],
  ])('%s of requirements, cut at every point and repaired, is as before', (_, relations) => {
    const model = new ModelOfRequirements(requiringCharms);
    for (const name of ['a', 'b', 'c']) model.deploy('ring', name);
    for (const name of ['both', 'tied', 'cluster', 'ceph']) model.deploy(name);
    const pairs = relations.map((one) => one.split(' ') as [string, string]);
    for (const pair of pairs) model.integrate(...pair);
    const before = model.waits;
    for (const pair of pairs) {
      const waiting = Object.keys(model.waits).length;
      model.removeRelation(...pair);
      expect(Object.keys(model.waits).length).toBeGreaterThan(waiting);
      model.integrate(...pair);
      expect(model.waits).toEqual(before);
    }
  });
});
