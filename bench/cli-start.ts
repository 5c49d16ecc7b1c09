/** Start time of the CLI: `version` through the launcher, against a Node that does nothing. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exitCode, pairs, report } from './floor.ts';

const root = join(import.meta.dirname, '..');
const run = (program: string, args: readonly string[]): void => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')} failed`, { cause: error });
};
const node = (): void => run(process.execPath, ['-e', '0']);

const comparison = await pairs(node, () => run(join(root, 'bin/grigri'), ['version']), 40);
process.exitCode = exitCode([report('cli-start', comparison, { atMost: 1.6 })]);
