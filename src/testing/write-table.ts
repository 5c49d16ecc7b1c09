/** `npm run docs:<name>`: renews the generated part of docs/reference/<name>.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withAccessTable } from './access-table.ts';
import { withApiTable } from './api-table.ts';
import { withCliTables } from './cli-table.ts';
import { withPlanSchema } from './model-file/plan-schema.ts';
import { withToolTables } from './tool-table.ts';

const pages = new Map<string, (page: string) => string | Promise<string>>([
  ['access', withAccessTable],
  ['api', withApiTable],
  ['cli', withCliTables],
  ['hook-tools', withToolTables],
  ['plan', withPlanSchema],
]);

const name = process.argv[2] ?? '';
const renewed = pages.get(name);
if (!renewed) throw new Error(`no page "${name}": one of ${[...pages.keys()].join(', ')}`);
const page = join(import.meta.dirname, `../../docs/reference/${name}.md`);
writeFileSync(page, await renewed(readFileSync(page, 'utf8')));
