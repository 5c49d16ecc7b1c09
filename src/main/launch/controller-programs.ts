/** Programs that a controller has in its data directory, by their builds, and the choice among them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function programsDir(dataDir: string): string {
  return join(dataDir, 'programs');
}

/** File of the choice; absent = the installed program runs. */
export function choiceFile(dataDir: string): string {
  return join(programsDir(dataDir), 'chosen.json');
}

export function programFolder(dataDir: string, build: string): string {
  return join(programsDir(dataDir), build);
}

/** Whether the program is there; a folder of this name is whole. */
export function hasProgram(dataDir: string, build: string): boolean {
  const folder = programFolder(dataDir, build);
  return (
    /^[0-9a-f]{64}$/.test(build) && ['node', 'controller.mjs'].every((name) => existsSync(join(folder, name)))
  );
}
