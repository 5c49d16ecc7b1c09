/** Folders of the agent's programs on a machine: each has `node`, `agent.mjs` (the launcher) and `program.mjs`. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const programName = 'program.mjs';
export const launcherName = 'agent.mjs';
/** Folder of programs beside the one that the machine was set up with. */
export const buildsName = 'builds';
/** File in a tools folder that names the program which it had before machines could choose. */
export const beforeName = 'before';

/** Build of a program: SHA-256 in hex. Errors: node:fs's. */
export function buildOf(program: string): string {
  return createHash('sha256').update(readFileSync(program)).digest('hex');
}

export function isBuild(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Programs that a machine has. `toolsDir`: the folder that it was set up with. */
export class ProgramFolders {
  readonly #toolsDir: string;
  readonly #dataDir: string;

  constructor(toolsDir: string, dataDir: string) {
    this.#toolsDir = toolsDir;
    this.#dataDir = dataDir;
  }

  installed(): string {
    return buildOf(join(this.#toolsDir, programName));
  }

  before(): string | undefined {
    try {
      return readFileSync(join(this.#toolsDir, beforeName), 'utf8').trim();
    } catch {
      return undefined;
    }
  }

  /** Folder of a build; undefined when the machine does not have it whole. */
  find(build: string): string | undefined {
    if (!isBuild(build)) return undefined;
    const places = [this.#toolsDir, join(this.#toolsDir, buildsName, build), join(this.downloads, build)];
    return places.find((place) => {
      const program = join(place, programName);
      return existsSync(join(place, 'node')) && existsSync(program) && buildOf(program) === build;
    });
  }

  /** Folder of the programs that the machine has downloaded, by their builds. */
  get downloads(): string {
    return join(this.#dataDir, 'tools', buildsName);
  }
}
