import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('a record of the turn in which the process ends by a bug is in the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-audit-'));
  try {
    const path = join(folder, 'audit.log');
    const program = `
      import { openAuditLog } from ${JSON.stringify(join(import.meta.dirname, 'audit-log.ts'))};
      const log = openAuditLog(${JSON.stringify(path)}, () => undefined);
      log.append('the last request', { maxBytes: 1000, backups: 1 });
      throw new Error('a bug');`;
    const run = (): Buffer =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' });
    expect(run).toThrow('a bug');
    expect(readFileSync(path, 'utf8')).toBe('the last request\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
