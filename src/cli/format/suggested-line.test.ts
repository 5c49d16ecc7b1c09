import { expect, test } from 'vitest';
import { findCommand } from '../registry.ts';
import { lineFor } from './suggested-line.ts';

test.each([
  ['remove-unit a/0 --force', 'work', 'remove-unit a/0 --force -m work'],
  ['destroy-model default', 'ctrl:work', 'destroy-model ctrl:work'],
  ['upgrade-controller', 'controller', 'upgrade-controller'],
  ['upgrade-controller', 'ctrl:controller', 'upgrade-controller -c ctrl'],
  ['update-credential aws mine', 'ctrl:work', 'update-credential aws mine -c ctrl'],
  ['grant bob consume admin/data.db', 'ctrl:work', 'grant bob consume admin/data.db -c ctrl'],
  ['grant bob consume far:admin/data.db', 'ctrl:work', 'grant bob consume far:admin/data.db'],
  ['offers -m admin/data', 'work', 'offers -m admin/data'],
  ['model-config -m admin/data a=b', 'work', 'model-config -m admin/data a=b'],
])('%s is for the model %s: %s', async (line, model, expected) => {
  expect(lineFor(line, model)).toBe(expected);
  const { flags } = await findCommand(line.split(' ')[0]!)!.entry.load();
  if (expected.includes(' -m ')) expect(flags).toHaveProperty('model');
  if (expected.includes(' -c ')) expect(flags).toHaveProperty('controller');
});
