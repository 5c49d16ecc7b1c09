import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeScript } from './firewall.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-lxd-firewall-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'rules'), 'old');
  writeFileSync(join(folder, 'rules.new'), 'new');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the change script with replacements of the instance's programs; `nft` records what it loaded. */
function change(programs: Readonly<Record<string, string>>): void {
  const nft = `cat "$2" >${folder}/loaded`;
  for (const [name, script] of Object.entries({ nft, ...programs }))
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const script = changeScript.replaceAll('/etc/grigri/firewall.nft', join(folder, 'rules'));
  execFileSync('sh', ['-c', script], {
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
    stdio: 'pipe',
  });
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const boot = (): string => `mv -f ${folder}/rules.new ${folder}/rules 2>/dev/null`;
test.each([
  ['not at all', () => ({})],
  ['before nft reads them', () => ({ nft: `${boot()}; cat "$2" >${folder}/loaded` })],
  ['while nft reads them', () => ({ nft: `cat "$2" >${folder}/loaded; ${boot()}; :` })],
  ['before they are put in their place', () => ({ sync: `${boot()}; :` })],
])('New rules are loaded and installed when a concurrent boot takes them %s', (_, programs) => {
  change(programs());
  expect([read('loaded'), read('rules'), existsSync(join(folder, 'rules.new'))]).toEqual([
    'new',
    'new',
    false,
  ]);
});

test('Rules that nft refuses do not replace the previous ones', () => {
  expect(() => change({ nft: 'echo syntax error >&2; exit 1' })).toThrow('syntax error');
  expect([read('rules'), read('rules.new')]).toEqual(['old', 'new']);
});
