/** Storage as a charm declares it (charm-metadata.md#storage). */
import { notValid } from '../errors.ts';
import { isMap, readFlag, readMap, readText, readTexts, show, type Raw } from '../charm/raw.ts';
import type { StorageType } from './document.ts';
import { parseSize } from './directive.ts';

export interface StorageSpec {
  readonly name: string;
  readonly type: StorageType;
  readonly description: string;
  readonly shared: boolean;
  readonly readOnly: boolean;
  /** Numbers of instances that a unit may have. */
  readonly min: number;
  readonly max: number;
  /** Minimum size in MiB; 0 = none declared. */
  readonly minimumSize: number;
  /** Path to mount the storage at, or the folder of several; '' = the agent chooses. */
  readonly location: string;
  readonly properties: readonly string[];
}

const nameForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** The storage section of a charm's metadata by name. Errors: `not valid`. */
export function storageSpecs(storage: Raw): Readonly<Record<string, StorageSpec>> {
  return Object.fromEntries(Object.keys(storage).map((name) => [name, storageSpecOf(storage, name)!]));
}

/** One storage of the section; undefined: the charm does not declare it. Errors: `not valid`. */
export function storageSpecOf(storage: Raw, name: string): StorageSpec | undefined {
  if (!Object.hasOwn(storage, name)) return undefined;
  return storageSpec(name, readMap(storage[name], at(name)));
}

export function isStorageName(name: string): boolean {
  return nameForm.test(name) && name.length <= 100;
}

function at(name: string): string {
  return `metadata: storage.${name}`;
}

function storageSpec(name: string, raw: Raw): StorageSpec {
  const path = at(name);
  if (!isStorageName(name)) throw notValid(`${path}: invalid storage name ${show(name)}`);
  const type = raw['type'];
  if (type !== 'block' && type !== 'filesystem')
    throw notValid(`${path}.type: expected "block" or "filesystem", got ${show(type)}`);
  const size = raw['minimum-size'];
  const minimumSize = size === undefined || size === null ? 0 : readSize(size, `${path}.minimum-size`);
  const location = readText(raw['location'], `${path}.location`);
  if (type === 'block' && location !== '')
    throw notValid(`${path}.location: a block storage has no location`);
  return {
    name,
    type,
    description: readText(raw['description'], `${path}.description`),
    shared: readFlag(raw['shared'], `${path}.shared`),
    readOnly: readFlag(raw['read-only'], `${path}.read-only`),
    ...readRange(raw['multiple'], path),
    minimumSize,
    location: readLocation(location, path),
    properties: readTexts(raw['properties'], `${path}.properties`),
  };
}

function readSize(value: unknown, path: string): number {
  const size = typeof value === 'number' ? value : parseSize(String(value));
  if (size === undefined || !Number.isSafeInteger(size) || size < 0)
    throw notValid(`${path}: expected a size such as 1G, got ${show(value)}`);
  return size;
}

/** The folder of the agent's own storage, in which no charm may have another. */
const ownFolder = '/var/lib/juju/storage';

function readLocation(location: string, path: string): string {
  if (location === '') return '';
  const isPlain = !/[\p{Cc}\s]/u.test(location) && !location.split('/').includes('..');
  if (!location.startsWith('/') || !isPlain || location.length > 1024)
    throw notValid(`${path}.location: expected an absolute path, got ${show(location)}`);
  const clean = location.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
  if (clean === '/' || clean === ownFolder || clean.startsWith(`${ownFolder}/`))
    throw notValid(`${path}.location: ${show(location)} is not allowed`);
  return clean;
}

/** `multiple: {range: …}`: `2`, `0-1`, `1-` or `1+`; without it there is exactly one. */
function readRange(multiple: unknown, path: string): { readonly min: number; readonly max: number } {
  if (multiple === undefined || multiple === null) return { min: 1, max: 1 };
  const range = isMap(multiple) ? multiple['range'] : undefined;
  const match = /^(\d{1,6})(?:(\+|-)|-(\d{1,6}))?$/.exec(String(range));
  if (!match)
    throw notValid(`${path}.multiple.range: expected a range such as 1-3 or 0+, got ${show(range)}`);
  const min = Number(match[1]);
  const max = match[2] ? Infinity : Number(match[3] ?? match[1]);
  if (max < min)
    throw notValid(`${path}.multiple.range: expected a range such as 1-3 or 0+, got ${show(range)}`);
  return { min, max };
}
