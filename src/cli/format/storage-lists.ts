/** Tables of the file systems and volumes that hold storage, one row for each. */
import { compareNames } from '../../core/names.ts';
import { showSize } from '../../core/storage/directive.ts';
import type { FilesystemDetails, VolumeDetails } from '../../wire/facades/storage-details.ts';
import { idOf } from '../storage.ts';

/** Row of a table. Members of machines are shown only when one of the rows has a machine. */
interface Line {
  readonly machine: string;
  readonly unit: string;
  readonly storage: string;
  readonly id: string;
  readonly volume?: string;
  readonly providerId: string;
  readonly place: string;
  readonly size: string;
  readonly state: string;
  readonly message: string;
}
type Columns = readonly (readonly [head: string, member: keyof Line])[];

const filesystemColumns: Columns = [
  ['Machine', 'machine'],
  ['Unit', 'unit'],
  ['Storage ID', 'storage'],
  ['ID', 'id'],
  ['Volume', 'volume'],
  ['Provider ID', 'providerId'],
  ['Mountpoint', 'place'],
  ['Size', 'size'],
  ['State', 'state'],
  ['Message', 'message'],
];
const volumeColumns: Columns = [
  ['Machine', 'machine'],
  ['Unit', 'unit'],
  ['Storage ID', 'storage'],
  ['Volume ID', 'id'],
  ['Provider ID', 'providerId'],
  ['Device', 'place'],
  ['Size', 'size'],
  ['State', 'state'],
  ['Message', 'message'],
];
/** Members that only rows with a machine have. */
const ofMachines: readonly (keyof Line)[] = ['machine', 'volume'];

export function filesystemTable(all: readonly FilesystemDetails[]): string[][] {
  const lines = all.map((one) => ({
    ...lineOf(one),
    id: idOf(one['filesystem-tag']),
    volume: one['volume-tag'] ? idOf(one['volume-tag']) : '',
    providerId: one.info['filesystem-id'],
    place: firstOf(one['machine-attachments'])?.[1]['mount-point'] ?? '',
  }));
  return table(lines, filesystemColumns, ofMachines);
}

export function volumeTable(all: readonly VolumeDetails[]): string[][] {
  const lines = all.map((one) => ({
    ...lineOf(one),
    id: idOf(one['volume-tag']),
    providerId: one.info['volume-id'],
    place: firstOf(one['machine-attachments'])?.[1]['device-name'] ?? '',
  }));
  return table(lines, volumeColumns, [...ofMachines, 'place']);
}

function lineOf(one: FilesystemDetails | VolumeDetails) {
  const [machine] = firstOf<unknown>(one['machine-attachments']) ?? [];
  const [unit] = firstOf<unknown>(one['unit-attachments']) ?? [];
  return {
    machine: machine === undefined ? '' : idOf(machine),
    unit: unit === undefined ? '' : idOf(unit),
    storage: one.storage ? idOf(one.storage['storage-tag']) : '',
    size: showSize(one.info.size),
    state: one.status.status,
    message: one.status.info,
  };
}

/** Returns the first attachment: a storage is on one machine, and used by one unit. */
function firstOf<T>(attachments: Readonly<Record<string, T>> = {}): readonly [string, T] | undefined {
  return Object.entries(attachments)[0];
}

function table(lines: readonly Line[], columns: Columns, ofMachines: readonly (keyof Line)[]): string[][] {
  const isOnMachine = lines.some(({ machine }) => machine !== '');
  const shown = columns.filter(([, member]) => isOnMachine || !ofMachines.includes(member));
  const rows = lines
    .toSorted(
      (a, b) =>
        compareNames(a.machine, b.machine) ||
        compareNames(a.unit, b.unit) ||
        compareNames(a.storage, b.storage),
    )
    .map((line) => shown.map(([, member]) => line[member] ?? ''));
  return [shown.map(([head]) => head), ...rows];
}
