import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the V8 thresholds that a controller lowers exist and are higher by default', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of ['invocation-count-for-maglev', 'minimum-invocations-after-ic-update']) {
    const byDefault = new RegExp(`default: --${flag}=(\\d+)`).exec(options)?.[1];
    expect(Number(byDefault), flag).toBeGreaterThan(60);
  }
});
