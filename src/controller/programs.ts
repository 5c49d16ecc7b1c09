/** Programs that a controller has and can be given (docs/upgrades.md). */
import { JujuError } from '../core/errors.ts';
import type { ProgramFile } from '../core/controller/program.ts';
import type { Services } from './services.ts';

export interface Programs {
  /** Architecture of the runtimes that run here, by Juju's name. */
  readonly arch: string;
  /** The program that did not come up the last time that another one was tried. */
  readonly failed: { readonly build: string; readonly message: string } | undefined;
  /**
   * Build of the running program. Errors: `not supported` when it runs from its source; `upgrade in progress` while it
   * is tried.
   */
  build(): Promise<string>;
  /** Build of a program, and which of its files are not here, by their SHA-256; files that none needs are removed. */
  plan(files: readonly ProgramFile[]): Promise<{ build: string; missing: readonly string[] }>;
  /** Stores a file. Errors: `bad request` when it has another SHA-256; `quota limit exceeded`. */
  receive(sha256: string, body: NodeJS.ReadableStream): Promise<void>;
  /**
   * Tries a program: checks it, and ends this process to start it. Resolves when that is under way. Errors: `already
   * exists` when it runs: one that did not come up is forgotten then; `not found` when files are missing; `not valid`
   * when it cannot run here; `not supported`; `try again` while another is being tried.
   */
  upgrade(files: readonly ProgramFile[]): Promise<void>;
}

/** The programs of a controller. Errors: `not supported` by one that has no files. */
export function programsOf({ programs }: Pick<Services, 'programs'>): Programs {
  if (!programs) throw new JujuError('not supported', 'programs of a controller without files not supported');
  return programs;
}
