/** Storage in arguments and in output. */
import { compareNames, isUnitName } from '../core/names.ts';
import { parseDirective, showSize, type StorageDirective } from '../core/storage/directive.ts';
import type { FilesystemDetails, StorageDetails, VolumeDetails } from '../wire/facades/storage-details.ts';
import { formatTag, parseTag } from '../wire/tags.ts';
import type { CommandContext } from './context.ts';
import { Exit, UsageError } from './errors.ts';
import { bool } from './flags.ts';
import { splitKeyValues } from './key-values.ts';
import { formatTime, type TimeStyle } from './format/time.ts';
import { defined } from '../core/defined.ts';

/** Returns the tag of a storage. Errors: UsageError. */
export function storageTag(id: string): string {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\/(?:0|[1-9][0-9]*)$/.test(id))
    throw new UsageError(`storage ID "${id}" not valid`);
  return formatTag({ kind: 'storage', id });
}

/** Checks the name of a unit. Errors: UsageError. */
export function unitArgument(name: string | undefined): string {
  if (name === undefined || !isUnitName(name)) throw new UsageError(`unit name "${name ?? ''}" not valid`);
  return formatTag({ kind: 'unit', id: name });
}

/** Parses `data=local,2,10G`, or `data` for one by default. Errors: `not valid`; UsageError. */
export function parseStorageArgument(text: string): [name: string, directive: StorageDirective] {
  const separator = text.indexOf('=');
  const name = separator < 0 ? text : text.slice(0, separator);
  if (name === '') throw new UsageError(`expected a storage such as data=10G, got "${text}"`);
  return [name, separator < 0 ? { count: 1 } : parseDirective(text.slice(separator + 1), name)];
}

interface FormattedStatus {
  readonly current: string;
  readonly message?: string;
  readonly since: string;
}

/** Formats the output of `storage` with `--format json|yaml`. */
export function formatStorage(all: readonly StorageDetails[], style: TimeStyle) {
  return Object.fromEntries(all.map((one) => [idOf(one['storage-tag']), formatOne(one, style)]));
}

function formatOne({ kind, life, status, persistent, attachments = {} }: StorageDetails, style: TimeStyle) {
  const units = Object.values(attachments).map((one) => [
    idOf(one['unit-tag']),
    defined({
      machine: one['machine-tag'] ? idOf(one['machine-tag']) : undefined,
      location: one.location,
      life: one.life,
    }),
  ]);
  return {
    kind: kind === 1 ? 'block' : 'filesystem',
    ...defined({ life }),
    status: formatStatusOf(status, style),
    persistent,
    ...(units.length > 0 && { attachments: { units: Object.fromEntries(units) as object } }),
  };
}

function formatFilesystems(all: readonly FilesystemDetails[], style: TimeStyle) {
  return byId(
    all.map((one) => [
      idOf(one['filesystem-tag']),
      {
        ...defined({
          'provider-id': one.info['filesystem-id'] || undefined,
          volume: one['volume-tag'] && idOf(one['volume-tag']),
          storage: one.storage && idOf(one.storage['storage-tag']),
        }),
        ...attachmentsOf(one, style, (mount) => ({ 'mount-point': mount['mount-point'] ?? '' })),
        pool: one.info.pool,
        size: one.info.size,
        ...stateOf(one, style),
      },
    ]),
  );
}

function formatVolumes(all: readonly VolumeDetails[], style: TimeStyle) {
  return byId(
    all.map((one) => [
      idOf(one['volume-tag']),
      {
        ...defined({
          'provider-id': one.info['volume-id'] || undefined,
          storage: one.storage && idOf(one.storage['storage-tag']),
        }),
        ...attachmentsOf(one, style, (shown) => defined({ device: shown['device-name'] })),
        pool: one.info.pool,
        size: one.info.size,
        persistent: one.info.persistent,
        ...stateOf(one, style),
      },
    ]),
  );
}

/** Returns the entries by their ids, in the order of the ids. */
function byId(entries: readonly (readonly [id: string, details: object])[]): object {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareNames(a, b)));
}

interface Attached {
  readonly 'read-only'?: boolean | undefined;
  readonly life?: string | undefined;
}

function attachmentsOf<T extends Attached>(
  {
    storage,
    'machine-attachments': onMachines = {},
  }: {
    readonly storage?: StorageDetails | undefined;
    readonly 'machine-attachments'?: Readonly<Record<string, T>> | undefined;
  },
  style: TimeStyle,
  place: (attached: T) => object,
): { attachments?: object } {
  const machines = Object.entries(onMachines).map(([tag, attached]) => [
    idOf(tag),
    {
      ...place(attached),
      'read-only': attached['read-only'] ?? false,
      ...defined({ life: attached.life }),
    },
  ]);
  const units = storage ? formatOne(storage, style).attachments : undefined;
  if (machines.length === 0 && !units) return {};
  return {
    attachments: {
      ...(machines.length > 0 && { machines: Object.fromEntries(machines) as object }),
      ...units,
    },
  };
}

function stateOf({ life, status }: Pick<FilesystemDetails, 'life' | 'status'>, style: TimeStyle) {
  return { ...defined({ life }), status: formatStatusOf(status, style) };
}

/** Formats the sections of storage with `--format json|yaml`; sections without entries are absent. */
export function formatSectionsOf(
  storage: readonly StorageDetails[],
  filesystems: readonly FilesystemDetails[],
  volumes: readonly VolumeDetails[],
  style: TimeStyle,
): object {
  return {
    ...(storage.length > 0 && { storage: formatStorage(storage, style) }),
    ...(filesystems.length > 0 && { filesystems: formatFilesystems(filesystems, style) }),
    ...(volumes.length > 0 && { volumes: formatVolumes(volumes, style) }),
  };
}

/** Returns the rows of `Unit  Storage ID  Type  Pool  Size  Status  Message`, detached storage first. */
export function storageRows(
  all: readonly StorageDetails[],
  holders: readonly (FilesystemDetails | VolumeDetails)[],
): string[][] {
  const places = new Map(holders.map(({ storage, info }) => [storage?.['storage-tag'], info]));
  const rows = all.map((one) => {
    const info = places.get(one['storage-tag']);
    return [
      one['owner-tag'] && idOf(one['owner-tag']),
      idOf(one['storage-tag']),
      one.kind === 1 ? 'block' : 'filesystem',
      info?.pool ?? '',
      info ? showSize(info.size) : '',
      one.status.status,
      one.status.info,
    ];
  });
  return [...rows.filter(([unit]) => unit === ''), ...rows.filter(([unit]) => unit !== '')];
}

export const storageHeads = ['Unit', 'Storage ID', 'Type', 'Pool', 'Size', 'Status', 'Message'];

function formatStatusOf(
  { status, info, since }: StorageDetails['status'],
  style: TimeStyle,
): FormattedStatus {
  return {
    current: status,
    ...defined({ message: info || undefined }),
    since: formatTime(since, style),
  };
}

export function idOf(tag: string): string {
  return parseTag(tag).id;
}

/** Flags of forced commands. */
export const forceFlags = {
  force: bool('--force', 'Forcefully continue past refusals'),
  noWait: bool('--no-wait', 'Rush through without waiting for each individual step to complete'),
};

/** Checks that ids are given. Errors: UsageError when there are none. */
export function someIds(args: readonly string[], name: string): readonly string[] {
  if (args.length === 0) throw new UsageError(`${name} requires at least one storage ID`);
  return args;
}

/** Prints a line for each result, then `hint`, if one is given and something failed. Errors: Exit for a failure. */
export function report(
  context: CommandContext,
  results: readonly { readonly error?: { readonly message: string } | undefined }[],
  words: { readonly done: (index: number) => string; readonly failed: (index: number) => string },
  hint?: string,
): void {
  let hasFailed = false;
  for (const [i, { error }] of results.entries()) if (!error) context.info(words.done(i));
  for (const [i, { error }] of results.entries()) {
    if (!error) continue;
    context.io.stderr.write(`${words.failed(i)}: ${error.message}\n`);
    hasFailed = true;
  }
  if (!hasFailed) return;
  if (hint !== undefined) context.info(hint);
  throw new Exit(1);
}

/** Parses the attributes of a pool, `key=value`. Errors: UsageError. */
export function attributesOf(args: readonly string[]): Record<string, string> {
  const { files, values } = splitKeyValues(args);
  if (files.length > 0) throw new UsageError(`expected "key=value", got "${files[0]}"`);
  return { ...values };
}
