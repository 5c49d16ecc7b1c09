/** Plugins: programs `grigri-NAME` on the PATH are the commands NAME; `juju-NAME` when the program is called as juju. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defined } from '../core/defined.ts';
import type { CliIo } from './io.ts';

type Shell = Pick<CliIo, 'env' | 'program'>;
const pluginName = /^[a-z0-9][a-z0-9-]*$/;

/** Returns the path of the plugin; undefined when there is none. */
export function findPlugin({ env, program }: Shell, name: string): string | undefined {
  if (!pluginName.test(name)) return undefined;
  return folders(env)
    .map((folder) => join(folder, `${program}-${name}`))
    .find(isProgram);
}

/** Returns the names of the plugins, without the prefix. */
export function pluginNames({ env, program }: Shell): readonly string[] {
  const prefix = `${program}-`;
  const found = folders(env).flatMap((folder) =>
    list(folder)
      .filter((file) => file.startsWith(prefix) && pluginName.test(file.slice(prefix.length)))
      .filter((file) => isProgram(join(folder, file)))
      .map((file) => file.slice(prefix.length)),
  );
  return [...new Set(found)].sort();
}

/** Runs a plugin on the terminal. Models and controllers that its flags name are in its environment, too. */
export function runPlugin(io: CliIo, path: string, args: readonly string[]): Promise<number> {
  const model = valueOf(args, ['-m', '--model']);
  const controller = valueOf(args, ['-c', '--controller']);
  return io.runOnTerminal([path, ...args], defined({ JUJU_MODEL: model, JUJU_CONTROLLER: controller }));
}

function valueOf(args: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    if (word === '--') return undefined;
    if (names.includes(word)) return args[index + 1];
    const name = names.find((one) => one.startsWith('--') && word.startsWith(`${one}=`));
    if (name !== undefined) return word.slice(name.length + 1);
  }
  return undefined;
}

function folders({ PATH }: CliIo['env']): readonly string[] {
  // An empty entry of PATH is the current directory, from which no user expects a command to come.
  return (PATH ?? '').split(delimiter).filter(Boolean);
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // PATH often has folders that do not exist.
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
