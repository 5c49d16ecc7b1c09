/** Facts read from the files of a root file system without running anything on it. */
import { lstat, open, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBase, type Base } from '../../../core/base.ts';
import { isAbsent } from '../../toolkit/json-file.ts';

/** Returns the base that /etc/os-release names; undefined when there is none, or no release. */
export async function baseOfRoot(root: string): Promise<Base | undefined> {
  const file = (await locate(root, '/etc/os-release')) ?? (await locate(root, '/usr/lib/os-release'));
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  const value = (key: string): string => new RegExp(`^${key}=["']?([^"'\\n]*)`, 'm').exec(text)?.[1] ?? '';
  try {
    return makeBase(value('ID'), value('VERSION_ID'));
  } catch {
    return undefined;
  }
}

/** Returns the architecture, in Juju's terms, of a program of the root; undefined when the file is no program. */
export async function archOfProgram(root: string, path: string): Promise<string | undefined> {
  const file = await locate(root, path);
  const header = file === undefined ? undefined : await readStart(file, 20);
  if (header?.length !== 20 || header.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
  const machine = header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
  return machines[machine] ?? `machine ${machine} of ELF`;
}

/** Returns the loader of a dynamically linked 64-bit program, e.g. `/lib64/ld-linux-x86-64.so.2`. */
export async function loaderOf(program: string): Promise<string | undefined> {
  const bytes = await readStart(program, 4096);
  if (bytes[4] !== 2 || bytes[5] !== 1) return undefined;
  const table = Number(bytes.readBigUInt64LE(32));
  const [size, count] = [bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  for (let offset = table; offset < table + size * count && offset + 56 <= bytes.length; offset += size) {
    if (bytes.readUInt32LE(offset) !== programInterpreter) continue;
    const from = Number(bytes.readBigUInt64LE(offset + 8));
    return bytes.toString('latin1', from, from + Number(bytes.readBigUInt64LE(offset + 32)) - 1);
  }
  return undefined;
}

/**
 * Resolves a path of the root file system to a path of the host. Links are followed as by a process inside the root, so
 * none leads out. Undefined when the path does not exist.
 */
export async function locate(root: string, path: string): Promise<string | undefined> {
  let remaining = path.split('/').filter(Boolean);
  let resolved: string[] = [];
  for (let links = 0; remaining.length > 0;) {
    const [name = '', ...rest] = remaining;
    remaining = rest;
    if (name === '.') continue;
    if (name === '..') {
      resolved.pop();
      continue;
    }
    const here = join(root, ...resolved, name);
    const target = await linkTarget(here);
    if (target === 'nothing' || links > linksMax) return undefined;
    if (target === undefined) resolved.push(name);
    else {
      links++;
      if (target.to.startsWith('/')) resolved = [];
      remaining = [...target.to.split('/').filter(Boolean), ...remaining];
    }
  }
  return join(root, ...resolved);
}

const linksMax = 40;
const programInterpreter = 3;

/** Values of ELF's e_machine. */
const machines: Readonly<Record<number, string>> = {
  3: 'i386',
  21: 'ppc64el',
  22: 's390x',
  40: 'armhf',
  62: 'amd64',
  183: 'arm64',
  243: 'riscv64',
};

async function linkTarget(path: string): Promise<{ to: string } | 'nothing' | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? { to: await readlink(path) } : undefined;
  } catch (error) {
    if (isAbsent(error)) return 'nothing';
    throw error;
  }
}

async function readStart(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}
