import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readYamlValue } from '../../kit/read-yaml.ts';
import { toYaml } from '../format/yaml.ts';

/** The file's content; undefined when there is none. Errors: plain Error that names the file. */
export async function readYaml(path: string): Promise<unknown> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readYamlValue(content);
  } catch (error) {
    throw new Error(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Replaces the file whole: readers see the old or the new one. Only its owner can read it. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export async function writeYaml(
  path: string,
  value: unknown,
  options: { flow?: readonly string[] } = {},
): Promise<void> {
  await writePrivate(path, toYaml(value, options));
}
