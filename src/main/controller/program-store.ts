/** Files and folders of a controller's programs in its data directory (docs/upgrades.md). */
import { createHash } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { receiveFile } from '../../controller/receive-file.ts';
import { buildText, programFileNames, type ProgramFile } from '../../core/controller/program.ts';
import { JujuError, notFound } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import { hasProgram, programFolder, programsDir } from '../launch/controller-programs.ts';

/** Number of programs that are kept beside those in use. */
const keptPrograms = 2;
/** Time in milliseconds for which a file stays that no program has: a client sends it, and asks for its program then. */
const sentFileMs = 3_600_000;

export class ProgramStore {
  readonly #dataDir: string;
  readonly #uploadsDir: string;

  constructor(dataDir: string, uploadsDir: string) {
    this.#dataDir = dataDir;
    this.#uploadsDir = uploadsDir;
  }

  /** Build of files. */
  buildOf(files: readonly ProgramFile[]): string {
    return createHash('sha256').update(buildText(files)).digest('hex');
  }

  /** Files that are missing here, by their SHA-256. */
  missing(files: readonly ProgramFile[]): string[] {
    return files.filter(({ sha256 }) => !existsSync(this.#file(sha256))).map(({ sha256 }) => sha256);
  }

  /** Stores a file that is sent. Errors: `bad request`, `quota limit exceeded`; the operating system's. */
  async receive(sha256: string, body: NodeJS.ReadableStream): Promise<void> {
    const folder = await mkdtemp(join(this.#uploadsDir, 'program-'));
    try {
      const file = join(folder, 'file');
      const { max: maxBytes, of: description } = limits.programFile;
      const actual = await receiveFile(body, file, { maxBytes, description });
      if (actual !== sha256)
        throw new JujuError('bad request', `the file has SHA-256 ${actual}, expected ${sha256}`);
      await this.#adopt(file, sha256);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Makes the folder of a program whose files are here. Errors: `not found` for a file that is missing. */
  async assemble(build: string, files: readonly ProgramFile[]): Promise<void> {
    if (hasProgram(this.#dataDir, build)) return;
    const folder = programFolder(this.#dataDir, build);
    const unfinished = `${folder}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await makeFolder(unfinished, 0o700);
    for (const { name, sha256 } of files)
      await link(this.#file(sha256), join(unfinished, name)).catch((cause: NodeJS.ErrnoException) => {
        throw cause.code === 'ENOENT' ? notFound('file of the program', name) : cause;
      });
    await sync(unfinished);
    await rename(unfinished, folder);
    await sync(programsDir(this.#dataDir));
  }

  /** Keeps a program that runs from elsewhere, whose files may be replaced there. Returns its files. */
  async keep(paths: readonly string[]): Promise<ProgramFile[]> {
    const folder = await mkdtemp(join(this.#uploadsDir, 'program-'));
    try {
      const files: ProgramFile[] = [];
      for (const [i, path] of paths.entries()) {
        const name = programFileNames[i]!;
        const copy = join(folder, name);
        let sha256 = await sha256Of(path);
        if (!existsSync(this.#file(sha256))) {
          await copyFile(path, copy, constants.COPYFILE_FICLONE);
          // The tools of machines are known by it: the runtime, which is large, is not copied again.
          const { mtime } = await stat(path);
          await utimes(copy, mtime, mtime);
          sha256 = await sha256Of(copy);
          await this.#adopt(copy, sha256);
        }
        files.push({ name, sha256, size: (await stat(this.#file(sha256))).size });
      }
      await this.assemble(this.buildOf(files), files);
      return files;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Removes all programs but these and the newest, and files that none of them and none of `wanted` has. Files that
   * were sent lately stay: another client may not be done.
   */
  async tidy(builds: readonly (string | undefined)[], wanted: readonly ProgramFile[]): Promise<void> {
    const dir = programsDir(this.#dataDir);
    const folders = (await readdir(dir, { withFileTypes: true })).filter((one) => one.isDirectory());
    const others = await Promise.all(
      folders
        .filter(({ name }) => name !== filesName && !builds.includes(name))
        .map(async ({ name }) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
    );
    const isWhole = ({ path }: { path: string }): boolean => !path.endsWith('.new');
    const kept = others
      .filter(isWhole)
      .sort((a, b) => b.at - a.at)
      .slice(0, keptPrograms);
    for (const other of others)
      if (!kept.includes(other)) await rm(other.path, { recursive: true, force: true });
    for (const name of await readdir(join(dir, filesName))) {
      const path = join(dir, filesName, name);
      const { nlink, mtimeMs } = await stat(path);
      // A file of a program has another link there.
      if (nlink > 1 || mtimeMs > Date.now() - sentFileMs) continue;
      if (!wanted.some(({ sha256 }) => sha256 === name)) await rm(path);
    }
  }

  async #adopt(file: string, sha256: string): Promise<void> {
    await makeFolder(join(programsDir(this.#dataDir), filesName), 0o700);
    await chmod(file, 0o700);
    await sync(file);
    await rename(file, this.#file(sha256));
    await sync(join(programsDir(this.#dataDir), filesName));
  }

  #file(sha256: string): string {
    return join(programsDir(this.#dataDir), filesName, sha256);
  }
}

/** Folder of all files, by their SHA-256, which the programs' folders have links to. */
const filesName = 'files';

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
