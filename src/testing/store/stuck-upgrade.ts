/** Process that earlier-formats.test.ts kills within an upgrade: its last step does not end. */
import { openDatabase } from '../../store/sqlite/open-database.ts';
import { schema } from '../../store/sqlite/schema.ts';

const path = process.argv[2];
if (path === undefined) throw new Error('usage: stuck-upgrade.ts <database>');
const endless =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) DELETE FROM entry WHERE seq IN (SELECT i FROM n)';
openDatabase({ path, steps: [...schema, 'DELETE FROM entry', endless], maxBytes: undefined });
