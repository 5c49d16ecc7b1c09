/** `npm run docs:cli`: renews the tables of docs/reference/cli.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCliTables } from './cli-table.ts';

const page = join(import.meta.dirname, '../../docs/reference/cli.md');
writeFileSync(page, await withCliTables(readFileSync(page, 'utf8')));
