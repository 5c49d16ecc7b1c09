import { expect, test } from 'vitest';
import { createCallers } from '../../testing/call.ts';
import { countLeaving, leavingDocuments } from './leaving-documents.ts';

test('records of files that only the past of a model has stay with the past', async () => {
  await using callers = await createCallers();
  const { store, model } = callers;
  await store.change((tx) => {
    const space = tx.in(model);
    const doc = { sha256: 'f'.repeat(64), size: 1, of: 'charm local:mysql-0', endedAt: tx.now };
    space.put('past-blob', doc.sha256, doc);
    space.put('annotation', 'model', { tag: 'model', values: { a: 'b' } });
  }, 'test');
  const leaving = [...leavingDocuments({ store, services: callers.context.services }, model)];
  const kinds = leaving.map(({ kind }) => kind);
  expect(kinds).toContain('annotation');
  expect(kinds).not.toContain('past-blob');
  expect(countLeaving(callers.view())).toBe(leaving.length);
});
