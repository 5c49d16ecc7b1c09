/**
 * Root file systems by base: `<stateDir>/images/<name>@<track>/image.json` names the folder beside it that new machines
 * are laid over. A replaced image stays as long as machines run on it.
 */
import { randomUUID } from 'node:crypto';
import { chmod, chown, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBase, makeBase, sameBase, trackOf, type Base } from '../../../core/base.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import type { Clock } from '../../../kit/clock.ts';
import { isAbsent, readJson, writeJson } from '../../toolkit/json-file.ts';
import type { ImageRegistry, LocalImage } from '../../contract/provider.ts';
import { hostArch } from './config.ts';
import type { Locks } from '../../../kit/locks.ts';
import { buildRoot, extractRoot } from './make-root.ts';
import { archOfProgram, baseOfRoot, loaderOf, locate } from './root-files.ts';
import { run } from './run.ts';
import { tryProgram } from './try-root.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Root file system of a base. */
interface ImageRoot {
  /** Image id in a machine's record: `ubuntu@24.04/<uuid>`. */
  readonly id: string;
  readonly base: Base;
}

interface ImageRecord {
  readonly base: Base;
  /** Folder beside the record. */
  readonly folder: string;
  readonly arch: string;
  readonly size: number;
  readonly addedAt: string;
}

export function imagesFolder(stateDir: string): string {
  return join(stateDir, 'images');
}

/** Finds the image of a base; also for a machine's agent, which sees the images at another path. */
export async function findImage(images: string, base: Base): Promise<ImageRoot | undefined> {
  const record = await readRecord(images, folderOf(base));
  return record && { id: `${folderOf(base)}/${record.folder}`, base: record.base };
}

/** Lists the bases with an image, sorted. */
export async function imageBases(images: string): Promise<Base[]> {
  return (await listRecords(images)).map(({ base }) => base);
}

interface ImagesNeeds {
  /** Path from imagesFolder. */
  readonly folder: string;
  /** True when this host's machines can be laid over images. */
  readonly sandboxes: boolean;
  /** Returns the ids of the images that machines of any model run on. */
  readonly usedImages: () => Promise<ReadonlySet<string>>;
  /** Lock on `folder`: held while an image is chosen, until a record names it. */
  readonly locks: Locks;
  /** Ids of images being added, shared by all users of this folder. */
  readonly adding: Set<string>;
  readonly clock: Clock;
}

export function createImages(needs: ImagesNeeds): ImageRegistry & {
  /** Removes replaced images that are not used any more. */
  sweep(): Promise<void>;
} {
  const { folder, usedImages, locks } = needs;
  return {
    sweep: () => locks(folder, () => collect(needs)),
    list: async () => (await listRecords(folder)).map(describe),
    // Additions are sequential: a second image of the same base would only replace the first.
    add: (image, signal) => locks(join(folder, 'add'), () => add(needs, image, signal)),
    remove: (base) =>
      locks(folder, async () => {
        const image = await findImage(folder, base);
        if (!image) throw notFound('local image', formatBase(stable(base)));
        if ((await usedImages()).has(image.id))
          throw new JujuError('', `machines run on ${formatBase(image.base)}: remove them first`);
        await rm(join(folder, folderOf(base), 'image.json'));
        await collect(needs);
      }),
  };
}

/** Removes images that no record names and no machine runs on. */
async function collect({ folder, usedImages, adding }: ImagesNeeds): Promise<void> {
  const used = await usedImages();
  for (const name of await list(folder)) {
    const current = (await readRecord(folder, name))?.folder;
    for (const root of await list(join(folder, name))) {
      const id = `${name}/${root}`;
      if (root === 'image.json' || root === current || used.has(id) || adding.has(id)) continue;
      await removeTree(join(folder, id));
    }
    // Removal of a folder that is not empty fails, as intended.
    if (current === undefined) await rmdir(join(folder, name)).catch(() => undefined);
  }
}

type NewImage = Parameters<ImageRegistry['add']>[0];

async function add(needs: ImagesNeeds, image: NewImage, signal: AbortSignal): Promise<LocalImage> {
  const { folder, sandboxes, locks, adding, clock } = needs;
  if (!sandboxes)
    throw new JujuError(
      'not supported',
      'machines of this host are plain processes on its own files: machines cannot use another root file system',
    );
  const { base } = image;
  const imageFolder = join(folder, folderOf(base));
  const name = randomUUID();
  const partial = join(imageFolder, `${name}.partial`);
  const half = `${folderOf(base)}/${name}.partial`;
  adding.add(half);
  try {
    await locks(folder, async () => {
      await collect(needs);
      await makeFolder(partial, 0o755);
    });
    const { arch, size } = await fillRoot(partial, image, signal);
    const addedAt = new Date(clock.now()).toISOString();
    const record: ImageRecord = { base: stable(base), folder: name, arch, size, addedAt };
    await locks(folder, async () => {
      await rename(partial, join(imageFolder, name));
      await writeJson(join(imageFolder, 'image.json'), record);
    });
    return describe(record);
  } finally {
    adding.delete(half);
    await locks(folder, () => collect(needs));
  }
}

/** Creates the root file system in the folder, and checks that it is one of the base. */
async function fillRoot(
  root: string,
  { base, archive, progress }: NewImage,
  signal: AbortSignal,
): Promise<{ arch: string; size: number }> {
  if (archive === undefined) await buildRoot(base, root, { progress, signal });
  else {
    progress('extracting the archive');
    await extractRoot(archive, root, signal);
  }
  // The owner and mode of the archive's top folder may be those of a private folder of its author.
  await chown(root, 0, 0);
  await chmod(root, 0o755);
  const arch = await checkRoot(root, base, signal);
  progress('measuring');
  const [size = ''] = (await run(['du', '--summarize', '--block-size=1', root])).split('\t');
  await run(['sync', '--file-system', root]);
  signal.throwIfAborted();
  return { arch, size: Number(size) };
}

/** Programs that a machine needs to start and run, besides the shell. */
const programs = ['cat', 'env', 'rmdir', 'setpriv', 'sleep', 'umount'];

/** Returns the architecture of the root. Errors: JujuError `not valid`; the signal's reason. */
async function checkRoot(root: string, base: Base, signal: AbortSignal): Promise<string> {
  const refuse = (why: string): never => {
    throw new JujuError('not valid', `this is not a root file system of ${formatBase(stable(base))}: ${why}`);
  };
  const arch = await archOfProgram(root, '/bin/sh');
  if (arch === undefined) return refuse('it has no /bin/sh');
  if (arch !== hostArch()) return refuse(`its /bin/sh is for ${arch}, this host is ${hostArch()}`);
  const actual = await baseOfRoot(root);
  if (!actual) return refuse('its /etc/os-release has no ID and VERSION_ID');
  if (!sameBase(actual, base)) return refuse(`its /etc/os-release says ${formatBase(actual)}`);
  const loader = await loaderOf(process.execPath);
  if (loader !== undefined && (await locate(root, loader)) === undefined)
    return refuse(`it has no ${loader}, which the machine agent needs`);
  for (const program of programs)
    if (!(await hasProgram(root, program))) return refuse(`it has no ${program}`);
  const shell = (await locate(root, '/bin/sh')) ?? '';
  const at = shell.slice(root.length);
  const against = await tryProgram(root, { program: process.execPath, at }, signal);
  if (against !== undefined) return refuse(`the machine agent does not run on it: ${against}`);
  return arch;
}

async function hasProgram(root: string, name: string): Promise<boolean> {
  for (const folder of ['/usr/bin', '/bin'])
    if ((await locate(root, `${folder}/${name}`)) !== undefined) return true;
  return false;
}

function describe({ base, arch, size, addedAt }: ImageRecord): LocalImage {
  return { base, arch, size, addedAt };
}

function folderOf(base: Base): string {
  return `${base.name}@${trackOf(base)}`;
}

/** Drops the risk of a base's channel, which a root file system does not name. */
function stable(base: Base): Base {
  return makeBase(base.name, trackOf(base));
}

function readRecord(images: string, name: string): Promise<ImageRecord | undefined> {
  return readJson<ImageRecord>(join(images, name, 'image.json'));
}

async function listRecords(images: string): Promise<ImageRecord[]> {
  const records = await Promise.all((await list(images)).sort().map((name) => readRecord(images, name)));
  return records.filter((record) => record !== undefined);
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}
