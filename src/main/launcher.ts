/**
 * Launcher of the machine agent, `agent.mjs` on machines: `node agent.mjs machine --data-dir DIR --machine ID …` runs
 * the program that the machine has chosen, in this process. A new program that does not reach the controller is left
 * for the one before (docs/upgrades.md). It uses nothing but Node, and the program cannot break it.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ProgramFolders, programName } from '../agent/program/folders.ts';
import { setLaunched } from '../agent/program/launched.ts';
import { programFile, readProgramState, startState, writeProgramState } from '../agent/program/state.ts';
import { setWatch, watchTrial } from '../agent/program/watch.ts';

/** Environment variable that names the build to a launcher which another one has become, with that build's runtime. */
const chosenName = 'GRIGRI_CHOSEN';

const [command, ...rest] = process.argv.slice(2);
const launcher = process.argv[1]!;
const toolsDir = dirname(launcher);

if (command === 'watch') {
  const [file = '', pid = '', start = ''] = rest;
  await watchTrial({ file, pid: Number(pid), start });
} else await launch();

async function launch(): Promise<void> {
  const { dataDir, tag } = parseCommandLine();
  const folders = new ProgramFolders(toolsDir, dataDir);
  const chosen = process.env[chosenName];
  delete process.env[chosenName];
  const build = chosen ?? choose(folders, programFile(dataDir, tag));
  const folder = folders.find(build) ?? toolsDir;
  const node = join(folder, 'node');
  if (chosen === undefined && statSync(node).ino !== statSync(process.execPath).ino) {
    // Node says that the call is experimental, which is nothing for the agent's log.
    process.removeAllListeners('warning');
    process.execve!(node, [node, ...process.argv.slice(1)], { ...process.env, [chosenName]: build });
  }
  setLaunched({ build, toolsDir });
  await import(pathToFileURL(join(folder, programName)).href);
}

/** Chooses the build of this start, and sets a watch over one that is being tried. */
function choose(folders: ProgramFolders, file: string): string {
  const found = new Map<string, boolean>();
  const exists = (build: string): boolean => {
    const known = found.get(build) ?? folders.find(build) !== undefined;
    found.set(build, known);
    return known;
  };
  const before = readProgramState(file);
  const state = startState(before, {
    installed: folders.installed(),
    before: folders.before(),
    exists,
    aim: 'reached the controller',
  });
  // Written before the start, so that every start counts.
  if (state !== before) writeProgramState(file, state);
  if (state.failed && state.failed !== before?.failed)
    process.stderr.write(
      `the agent goes back to program ${state.current.slice(0, 12)}: ${state.failed.build.slice(0, 12)} did not come up: ${state.failed.message}\n`,
    );
  if (!state.trying) return state.current;
  process.stderr.write(`the agent tries program ${state.trying.build.slice(0, 12)}\n`);
  setWatch(launcher, file);
  return state.trying.build;
}

function parseCommandLine(): { dataDir: string; tag: string } {
  const { values } = parseArgs({
    args: rest,
    strict: false,
    options: { 'data-dir': { type: 'string' }, machine: { type: 'string' } },
  });
  const { 'data-dir': dataDir = '/var/lib/juju', machine } = values;
  if (typeof machine !== 'string' || typeof dataDir !== 'string') {
    process.stderr.write('usage: agent machine --data-dir DIR --machine ID [--run-dir DIR]\n');
    process.exit(2);
  }
  return { dataDir, tag: `machine-${machine.replaceAll('/', '-')}` };
}
