/** `npm run docs:access`: renews the table of docs/reference/access.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withAccessTable } from './access-table.ts';

const page = join(import.meta.dirname, '../../docs/reference/access.md');
writeFileSync(page, withAccessTable(readFileSync(page, 'utf8')));
