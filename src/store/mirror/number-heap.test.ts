import fc from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { NumberHeap } from './number-heap.ts';

test('the largest number is popped first, whatever order numbers are pushed in', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.array(fc.option(fc.nat())), (first, steps) => {
      const heap = new NumberHeap(first);
      let model = first.toSorted((a, b) => a - b);
      for (const step of steps) {
        if (step === null) expect(heap.pop()).toBe(model.pop());
        else {
          heap.push(step);
          model = [...model, step].sort((a, b) => a - b);
        }
        expect(heap.largest).toBe(model.at(-1));
      }
    }),
  );
});
