/**
 * Programs that upgrades begin and end with: the previous release, built from git, and variants of this build. They are
 * folders like a clone's, with `bin/grigri` and `dist`.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../world.ts';
import { formatCommits } from './format-commits.ts';

/** Commit of the previous release: the newest with an older format of the store; GRIGRI_RELEASE names another one. */
const release = process.env['GRIGRI_RELEASE'] ?? `${Object.values(formatCommits).at(-1)}^`;
/** Folder of the built releases, which stay for the next run. */
const cache = join(root, '.cache/releases');

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/**
 * Builds the previous release, once. A clone without its commit (a shallow one) uses its oldest commit, and fetches
 * none. Returns undefined when that is the commit which is tested, and says why in a line that the summary of CI has.
 */
export function previousRelease(): string | undefined {
  const wanted = commitOf(release);
  const commit = wanted ?? git('rev-list', 'HEAD').split('\n').at(-1)!;
  if (commit === git('rev-parse', 'HEAD')) {
    console.warn(
      `skipped: tests with the previous release, since this clone has neither ${release} nor an earlier commit than its own: git fetch --unshallow`,
    );
    return undefined;
  }
  if (wanted === undefined)
    console.warn(`this clone does not have ${release}: its oldest commit is taken as the previous release`);
  const folder = join(cache, commit);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 29 });
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(unfinished, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], {
    cwd: unfinished,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(unfinished, folder);
  return folder;
}

function commitOf(name: string): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    return undefined;
  }
}

/** Makes a copy of this build in a folder, whose agent begins with other code. */
export function variant(folder: string, begin: string): string {
  mkdirSync(folder);
  for (const name of ['bin', 'dist']) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const agent = join(folder, 'dist/agent.mjs');
  writeFileSync(agent, `${begin}\n${readFileSync(agent, 'utf8')}`);
  return folder;
}
