import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withPlanSchema } from './plan-schema.ts';

test('the page of plans has the schema of their documents: npm run docs:plan', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/plan.md'), 'utf8');
  expect(withPlanSchema(page)).toBe(page);
});
