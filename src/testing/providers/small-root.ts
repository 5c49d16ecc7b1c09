/** Small root file system for tests, made of this host's own programs. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const programs = [
  'cat',
  'env',
  'hostname',
  'ls',
  'rmdir',
  'setpriv',
  'sh',
  'sleep',
  'stat',
  'touch',
  'umount',
];

/**
 * Writes the root file system as a tar that names this base, with `more` programs; `change` may spoil the files first.
 * Returns the archive's path.
 */
export function packRoot(
  folder: string,
  base: { name: string; release: string },
  {
    change = () => undefined,
    more = [],
    suffix = 'tar',
  }: { change?: (root: string) => void; more?: readonly string[]; suffix?: string } = {},
): string {
  const root = join(folder, 'small-root');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'etc'), { recursive: true });
  const taken = [...programs, ...more].map(find);
  for (const program of taken) take(root, program);
  takeLibraries(root, [...taken, process.execPath]);
  writeFileSync(
    join(root, 'etc/os-release'),
    `PRETTY_NAME="Small"\nID=${base.name}\nVERSION_ID="${base.release}"\n`,
  );
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/small'), `${base.name} ${base.release}\n`);
  change(root);
  const archive = join(folder, `small-root.${suffix}`);
  execFileSync('tar', ['--create', '--auto-compress', '--file', archive, '-C', root, '.']);
  rmSync(root, { recursive: true });
  return archive;
}

function find(name: string): string {
  const path = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find(existsSync);
  if (path === undefined) throw new Error(`this host has no ${name}`);
  return path;
}

/** Copies a program to its own path and to /bin. */
function take(root: string, program: string): void {
  for (const path of [program, program.replace('/usr/bin', '/bin')]) copy(root, path);
}

/** Copies the libraries that the programs are linked with, each once. */
function takeLibraries(root: string, programs: readonly string[]): void {
  const text = execFileSync('ldd', programs, { encoding: 'utf8' });
  for (const path of new Set(text.match(/\/\S+(?= \()/g))) copy(root, path);
}

function copy(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  cpSync(realpathSync(path), join(root, path));
}
