#!/usr/bin/env node
// Installs what machines of the `local` cloud need from the host's packages. Plain JavaScript without
// dependencies, because it runs before `npm install` has given us the pinned runtime (Node 20 is enough).
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Program → its Debian package, and what `local` does without it. */
const needs = [
  { program: 'ip', package: 'iproute2', without: 'machines share the host’s network' },
  { program: 'nft', package: 'nftables', without: 'machines have no firewall' },
  { program: 'unshare', package: 'util-linux', without: 'machines share the host’s files and processes' },
  { program: 'nsenter', package: 'util-linux', without: 'machines cannot be entered' },
  { program: 'setpriv', package: 'util-linux', without: 'machines share the host’s files and processes' },
  { program: 'mount', package: 'mount', without: 'machines share the host’s files' },
  {
    program: 'mmdebstrap',
    package: 'mmdebstrap',
    without: 'machines of other bases need an archive of a root file system',
  },
  { program: 'python3', package: 'python3', without: 'charm hooks written in Python fail' },
  { program: 'perl', package: 'perl-base', without: 'charm hooks written in Perl fail' },
];

/** What the tests of shells need. */
const shells = [
  { program: 'bash', package: 'bash', without: 'its completion is not tried' },
  { program: 'zsh', package: 'zsh', without: 'its completion is not tried' },
  { program: 'fish', package: 'fish', without: 'its completion is not tried' },
  { program: 'man', package: 'man-db', without: 'manual pages are not found' },
  { program: 'groff', package: 'groff', without: 'manual pages are not formatted' },
  { program: 'mandoc', package: 'mandoc', without: 'manual pages are not formatted twice' },
];

/**
 * Installs those of the programs that are missing, when this is root on a host with apt-get; else says what it is like
 * without.
 * @param {{ programs?: typeof needs, purpose?: string, say?: (line: string) => void }} [options]
 * @returns {string[]} the programs that are missing afterwards
 */
export function ensureSystemPackages({
  programs = needs,
  purpose = 'local machines',
  say = (line) => console.error(line),
} = {}) {
  const missing = programs.filter((need) => !find(need.program));
  if (missing.length === 0) return [];
  if (process.getuid?.() === 0 && find('apt-get'))
    install([...new Set(missing.map((need) => need.package))], purpose, say);
  const still = missing.filter((need) => !find(need.program));
  for (const { program, package: name, without } of still)
    say(`No ${program} (package ${name}): ${without}.`);
  return still.map((need) => need.program);
}

function install(packages, purpose, say) {
  say(`Installing ${packages.join(', ')} for ${purpose}…`);
  const started = aptGet(['install', '-y', '-q', '--no-install-recommends', ...packages]);
  if (started.status === 0) return;
  // A fresh image has no package lists, an old one stale ones.
  const updated = aptGet(['update', '-q']);
  const result =
    updated.status === 0 ? aptGet(['install', '-y', '-q', '--no-install-recommends', ...packages]) : updated;
  if (result.status !== 0) say(`apt-get failed: ${lastLines(result)}`);
}

function aptGet(args) {
  return spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function lastLines(result) {
  if (result.error) return result.error.message;
  return result.stderr.trim().split('\n').slice(-3).join(' ');
}

function find(program) {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] !== 'shells') ensureSystemPackages();
  else if (ensureSystemPackages({ programs: shells, purpose: 'tests of shells' }).length > 0)
    process.exitCode = 1;
}
