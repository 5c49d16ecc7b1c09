/** `npm run docs:api`: renews the table of docs/reference/api.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withApiTable } from './api-table.ts';

const page = join(import.meta.dirname, '../../docs/reference/api.md');
writeFileSync(page, withApiTable(readFileSync(page, 'utf8')));
