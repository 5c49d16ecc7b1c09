/** Programs that a controller can be given: the files, the check, and the choice (docs/upgrades.md). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readProgramState, writeProgramState } from '../../agent/program/state.ts';
import type { Programs } from '../../controller/programs.ts';
import { programFileNames, type ProgramFile } from '../../core/controller/program.ts';
import { JujuError, notValid } from '../../core/errors.ts';
import { schema } from '../../store/sqlite/schema.ts';
import { choiceFile, programFolder } from '../launch/controller-programs.ts';
import { getLaunched } from '../launch/launched.ts';
import { hostHardware } from './host.ts';
import { ProgramStore } from './program-store.ts';

const run = promisify(execFile);
/** Time in milliseconds that the check of a new program may take. */
const checkMs = 60_000;
/** Folders that may have the running program: its own, or dist/ when it runs from its source. */
const bundles = [import.meta.dirname, join(import.meta.dirname, '../../../dist')];

interface ProgramOptions {
  readonly dataDir: string;
  readonly uploadsDir: string;
  /** Called when this process is to end and start the program that was chosen. */
  readonly onChosen: () => void;
}

export class ControllerPrograms implements Programs {
  readonly arch: string = hostHardware().arch!;
  readonly #options: ProgramOptions;
  readonly #store: ProgramStore;
  #own: Promise<string> | undefined;
  #isBusy = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#store = new ProgramStore(options.dataDir, options.uploadsDir);
  }

  get failed(): { build: string; message: string } | undefined {
    return readProgramState(choiceFile(this.#options.dataDir))?.failed;
  }

  /** Keeps the running program where nobody replaces it, at the first call. */
  async build(): Promise<string> {
    if (readProgramState(choiceFile(this.#options.dataDir))?.trying)
      throw new JujuError('upgrade in progress', 'a program of the controller is being tried');
    return (this.#own ??= this.#keepOwn());
  }

  async #keepOwn(): Promise<string> {
    const { build } = getLaunched() ?? {};
    if (build !== undefined) return build;
    const folder = bundles.find((one) => existsSync(join(one, 'controller.mjs')));
    if (folder === undefined)
      throw new JujuError(
        'not supported',
        'a controller that runs from its source has no build: npm run build',
      );
    const [, ...names] = programFileNames;
    const paths = [process.execPath, ...names.map((name) => join(folder, name))];
    return this.#store.buildOf(await this.#store.keep(paths));
  }

  async plan(files: readonly ProgramFile[]): Promise<{ build: string; missing: string[] }> {
    await this.#store.tidy([await this.build(), ...this.#inUse()], files);
    return { build: this.#store.buildOf(files), missing: this.#store.missing(files) };
  }

  receive(sha256: string, body: NodeJS.ReadableStream): Promise<void> {
    return this.#store.receive(sha256, body);
  }

  async upgrade(files: readonly ProgramFile[]): Promise<void> {
    if (this.#isBusy) throw new JujuError('try again', 'another program of the controller is being tried');
    this.#isBusy = true;
    try {
      await this.#choose(files);
    } catch (error) {
      this.#isBusy = false;
      throw error;
    }
    this.#options.onChosen();
  }

  async #choose(files: readonly ProgramFile[]): Promise<void> {
    const { dataDir } = this.#options;
    if (!getLaunched())
      throw new JujuError(
        'not supported',
        'the controller was started without its launcher, which goes back to a program: restart it by "quick/controller.mjs"',
      );
    const current = await this.build();
    const build = this.#store.buildOf(files);
    if (build === current) {
      forgetFailure(dataDir);
      throw new JujuError('already exists', 'no upgrades available');
    }
    await this.#store.assemble(build, files);
    const format = await this.#check(build);
    if (format < schema.length)
      throw notValid(
        `program ${build.slice(0, 12)} is too old: it knows formats of the store up to ${format}, and this one has format ${schema.length}`,
      );
    writeProgramState(choiceFile(dataDir), {
      current,
      trying: { build, attempt: 0, starts: 0, format: schema.length },
    });
  }

  /** Has the program load and read this controller's settings. Returns the newest format of the store that it knows. */
  async #check(build: string): Promise<number> {
    const folder = programFolder(this.#options.dataDir, build);
    const args = [join(folder, 'controller.mjs'), 'check', '--data-dir', this.#options.dataDir];
    try {
      const { stdout } = await run(join(folder, 'node'), args, { timeout: checkMs });
      const { format } = JSON.parse(stdout) as { format?: unknown };
      if (typeof format === 'number') return format;
      throw new Error('it says nothing of the formats that it knows');
    } catch (error) {
      const { stderr = '', message, killed } = error as Error & { stderr?: string; killed?: boolean };
      const words = (stderr.trim() || message).split('\n').filter((line) => line.trim() !== '');
      const said = killed
        ? `it has not answered within ${checkMs / 1000} s`
        : stderr.startsWith('usage:')
          ? 'it is of a release that cannot be checked before it is tried'
          : (words.find((line) => /^\w*(Error|ERROR)\b/.test(line)) ?? words.at(-1) ?? 'it failed');
      throw notValid(`program ${build.slice(0, 12)} cannot run here: ${said.trim().slice(0, 300)}`);
    }
  }

  #inUse(): (string | undefined)[] {
    const { current, trying } = readProgramState(choiceFile(this.#options.dataDir)) ?? {};
    return [current, trying?.build];
  }
}

/** Forgets the program that did not come up: whoever asks for the running one is content with it. */
function forgetFailure(dataDir: string): void {
  const file = choiceFile(dataDir);
  const state = readProgramState(file);
  if (!state) return;
  const { failed, ...left } = state;
  if (failed) writeProgramState(file, left);
}
