/** Property: a client that follows the answers of AllWatcher knows the store's content. */
import { expect, it } from 'vitest';
import { testModel } from '../../testing/api-server.ts';
import fc, { runs } from '../../testing/fast-check.ts';
import {
  application,
  change,
  createdAt,
  next,
  prepareWatchedModel,
  store,
  unit,
} from '../../testing/watched-model.ts';
import type { Delta } from '../../wire/facades/all-watcher.ts';

prepareWatchedModel();

it('a client that follows the deltas has the content of the store, whatever happens', async () => {
  const step = fc.record({ id: fc.nat(4), act: fc.constantFrom('put', 'remove', 'status', 'ask') });
  const known = new Map<string, unknown>();
  const follow = (deltas: readonly Delta[]): void => {
    for (const [kind, what, body] of deltas) {
      if (kind !== 'unit') continue;
      const name = String(body['name']);
      if (what === 'change') known.set(name, body['life']);
      else {
        // A removal of an entity that was never told would confuse its reader.
        expect(known.has(name)).toBe(true);
        known.delete(name);
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      for (const { id, act } of steps) {
        const name = `x/${id}`;
        if (act === 'put') {
          const life = store.read().in(testModel).get('unit', name) ? 'dying' : 'alive';
          await change((tx) => tx.put('unit', name, unit(name, { life })));
        } else if (act === 'remove') await change((tx) => tx.remove('unit', name));
        else if (act === 'status')
          await change((tx) =>
            tx.put('status', `workload:${name}`, {
              kind: 'workload',
              entity: name,
              status: 'active',
              message: String(tx.revision),
              since: createdAt,
            }),
          );
        else {
          await change((tx) =>
            tx.put('application', 'x', application('x', { workloadVersion: String(tx.revision) })),
          );
          follow(await next());
        }
      }
      await change((tx) =>
        tx.put('application', 'x', application('x', { workloadVersion: String(tx.revision) })),
      );
      follow(await next());
      const units = [...store.read().in(testModel).list('unit')].map(
        ({ name, life }) => [name, life] as const,
      );
      expect(new Map(known)).toEqual(new Map(units));
    }),
    { numRuns: runs(30) },
  );
});
