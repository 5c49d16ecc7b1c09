import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { ClientStore } from './client-store.ts';
import { forgetHostKeys, knownHostsFile, pinHostKeys } from './known-hosts.ts';

test('host keys are stored per machine, and removed with the controller', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-known-hosts-'));
  try {
    const store = new ClientStore(dir, systemClock);
    const scanned = join(dir, 'scanned');
    writeFileSync(scanned, '10.0.0.7 ssh-ed25519 AAA\n10.0.0.7 ssh-rsa BBB\n');
    await pinHostKeys(store, { controllerUuid: 'c', modelUuid: 'm', instanceId: 'i-0' }, scanned);
    await pinHostKeys(store, { controllerUuid: 'cc', modelUuid: 'm', instanceId: 'i-0' }, scanned);
    const lines = (): string[] => readFileSync(knownHostsFile(dir), 'utf8').trim().split('\n');
    expect(lines().slice(0, 2)).toEqual(['c/m/i-0 ssh-ed25519 AAA', 'c/m/i-0 ssh-rsa BBB']);
    // Concurrent clients must not remove each other's keys.
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        pinHostKeys(store, { controllerUuid: 'c', modelUuid: 'n', instanceId: `i-${i}` }, scanned),
      ),
    );
    expect(lines()).toHaveLength(24);
    await forgetHostKeys(store, 'c');
    expect(lines()).toEqual(['cc/m/i-0 ssh-ed25519 AAA', 'cc/m/i-0 ssh-rsa BBB']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
