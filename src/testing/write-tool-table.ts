/** `npm run docs:hook-tools`: renews the tables of docs/reference/hook-tools.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withToolTables } from './tool-table.ts';

const page = join(import.meta.dirname, '../../docs/reference/hook-tools.md');
writeFileSync(page, await withToolTables(readFileSync(page, 'utf8')));
