/**
 * Launcher of the controller: `run --data-dir DIR` runs the program that the controller has chosen, in this process,
 * and the one beside it when it has chosen none. A new program that does not come up is left for the one before
 * (docs/upgrades.md). It uses nothing but Node, and the program cannot break it.
 */
import { existsSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { defined } from '../../core/defined.ts';
import { readProgramState } from '../../agent/program/state.ts';
import { watchTrial } from '../../agent/program/watch.ts';
import { chooseProgram } from './choose.ts';
import { choiceFile, programFolder } from './controller-programs.ts';
import { lockChoice } from './lock.ts';
import { setLaunched } from './launched.ts';

/** Environment variable that names the build to the launcher that the chosen program's runtime runs. */
const chosenName = 'GRIGRI_CHOSEN';
/** Folder of the installed program. */
const installed = dirname(import.meta.dirname);
const [command, ...rest] = process.argv.slice(2);
const launcher = process.argv[1]!;

if (command === 'watch') {
  const [file = '', pid = '', start = ''] = rest;
  await watchTrial({ file, pid: Number(pid), start });
} else await launch();

async function launch(): Promise<void> {
  const dataDir = parseDataDir();
  const told = process.env[chosenName];
  delete process.env[chosenName];
  const isRun = command === 'run' && dataDir !== undefined && existsSync(choiceFile(dataDir));
  const lock = isRun ? await lockChoice(dataDir) : undefined;
  if (isRun && !lock) {
    say(`ERROR ${dataDir} is in use by another process`);
    process.exit(1);
  }
  const build =
    dataDir === undefined
      ? undefined
      : (told ?? (await chooseProgram(dataDir, { isRun: command === 'run', launcher, say })));
  if (dataDir === undefined || build === undefined) {
    setLaunched({ launcher, isTrial: false });
    return load(installed);
  }
  const folder = programFolder(dataDir, build);
  const node = join(folder, 'node');
  if (told === undefined && statSync(node).ino !== statSync(process.execPath).ino) {
    // Node says that the call is experimental, which is nothing for the controller's log.
    process.removeAllListeners('warning');
    process.execve!(node, [node, ...process.argv.slice(1)], { ...process.env, [chosenName]: build });
  }
  const isTrial = readProgramState(choiceFile(dataDir))?.trying?.build === build;
  setLaunched({ launcher, build, isTrial, ...defined({ lock }) });
  await load(folder);
}

/** Runs the program with the code that V8 has compiled at an earlier start. */
async function load(folder: string): Promise<void> {
  const built = join(folder, 'controller.mjs');
  const isBuilt = existsSync(built);
  if (isBuilt) enableCompileCache(join(folder, '.compiled'));
  await import(pathToFileURL(isBuilt ? built : join(folder, 'controller.ts')).href);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function parseDataDir(): string | undefined {
  const options = { 'data-dir': { type: 'string' } } as const;
  const { values } = parseArgs({ args: rest, strict: false, options });
  return typeof values['data-dir'] === 'string' ? values['data-dir'] : undefined;
}
