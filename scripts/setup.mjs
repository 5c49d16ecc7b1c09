// Makes a clean clone ready on any Node ≥ 20: dependencies, system packages that local machines need, the bundles.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const newest = (path) => {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
};
const run = (command, args) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error || status !== 0) {
    console.error(`ERROR ${[command, ...args].join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
};

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`ERROR Node 20 or newer is needed, this is ${process.versions.node}`);
  process.exit(1);
}
const installed = join(root, 'node_modules/.package-lock.json');
if (newest(installed) < newest(join(root, 'package-lock.json'))) {
  console.log('Installing dependencies (npm ci)…');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
}
run(process.execPath, [join(root, 'scripts/system-packages.mjs')]);
const built = newest(join(root, 'dist'));
if (built < newest(join(root, 'src')) || built < newest(installed)) {
  console.log('Building the CLI, controller and agent…');
  run(process.execPath, [join(root, 'scripts/build.mjs')]);
}
