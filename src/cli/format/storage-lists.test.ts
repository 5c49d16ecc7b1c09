/** Tests of the tables of file systems and volumes. */
import { expect, test } from 'vitest';
import type { FilesystemDetails, VolumeDetails } from '../../wire/facades/storage-details.ts';
import { formatSectionsOf } from '../storage.ts';
import { filesystemTable, volumeTable } from './storage-lists.ts';

const since = '2026-01-01T00:00:00Z';
const used = {
  status: { status: 'attached', info: '', since },
  'unit-attachments': {},
} as const;

function storageOf(tag: string): NonNullable<VolumeDetails['storage']> {
  return { 'storage-tag': tag, 'owner-tag': '', kind: 1, status: used.status, persistent: false };
}

function volume(number: string, storage: string, device: string): VolumeDetails {
  const attached = { 'device-name': device, VolumeAttachmentInfo: { 'device-name': device } };
  return {
    ...used,
    'volume-tag': `volume-${number}`,
    info: { 'volume-id': `volume-${number}`, pool: 'loop', size: 64, persistent: false },
    'machine-attachments': { 'machine-0': attached },
    'unit-attachments': { 'unit-db-0': attached },
    storage: storageOf(storage),
  };
}

const mount = { 'mount-point': '/srv', FilesystemAttachmentInfo: { 'mount-point': '/srv' } };
const onVolume: FilesystemDetails = {
  ...used,
  'filesystem-tag': 'filesystem-0-1',
  'volume-tag': 'volume-0-3',
  info: { 'filesystem-id': 'filesystem-0-1', pool: 'loop', size: 64 },
  'machine-attachments': { 'machine-0': mount },
  'unit-attachments': { 'unit-db-0': mount },
  storage: storageOf('storage-data-2'),
};
const free: FilesystemDetails = {
  'filesystem-tag': 'filesystem-1',
  info: { 'filesystem-id': '1', pool: 'local', size: 2048 },
  status: { status: 'detached', info: '', since },
  storage: storageOf('storage-data-1'),
};

test('volumes are listed by machine, unit and storage', () =>
  expect(
    volumeTable([volume('0-4', 'storage-disk-3', 'loop2'), volume('0-3', 'storage-data-2', 'loop1')]),
  ).toEqual([
    ['Machine', 'Unit', 'Storage ID', 'Volume ID', 'Provider ID', 'Device', 'Size', 'State', 'Message'],
    ['0', 'db/0', 'data/2', '0/3', 'volume-0-3', 'loop1', '64 MiB', 'attached', ''],
    ['0', 'db/0', 'disk/3', '0/4', 'volume-0-4', 'loop2', '64 MiB', 'attached', ''],
  ]));

test('file systems are listed with the volumes that they are on', () =>
  expect(filesystemTable([onVolume, free])).toEqual([
    'Machine|Unit|Storage ID|ID|Volume|Provider ID|Mountpoint|Size|State|Message'.split('|'),
    ['', '', 'data/1', '1', '', '1', '', '2.0 GiB', 'detached', ''],
    ['0', 'db/0', 'data/2', '0/1', '0/3', 'filesystem-0-1', '/srv', '64 MiB', 'attached', ''],
  ]));

test('columns of machines are left out where nothing is on a machine', () =>
  expect(filesystemTable([free])[0]).toEqual(
    'Unit|Storage ID|ID|Provider ID|Mountpoint|Size|State|Message'.split('|'),
  ));

test('sections list file systems and volumes by their own numbers', () => {
  const volumes = [volume('1-0', 'storage-data-1', 'loop1'), volume('0-3', 'storage-disk-3', 'loop2')];
  const sections = formatSectionsOf([], [], volumes, { iso: true, nowMs: 0 }) as { readonly volumes: object };
  expect(Object.keys(sections.volumes)).toEqual(['0/3', '1/0']);
});

test.each(['alive', 'dying'] as const)(
  'structured output tells the life %s of storage and of all it has',
  (life) => {
    const storage = {
      ...storageOf('storage-data-2'),
      life,
      attachments: {
        'unit-db-0': {
          'storage-tag': 'storage-data-2',
          'unit-tag': 'unit-db-0',
          'machine-tag': 'machine-0',
          location: '/srv',
          life,
        },
      },
    };
    const filesystem = {
      ...onVolume,
      life,
      storage,
      'machine-attachments': { 'machine-0': { ...mount, life } },
    };
    const unit = { machine: '0', location: '/srv', life };
    expect(formatSectionsOf([storage], [filesystem], [], { iso: true, nowMs: 0 })).toMatchObject({
      storage: { 'data/2': { life, attachments: { units: { 'db/0': unit } } } },
      filesystems: { '0/1': { life, attachments: { machines: { '0': { life } }, units: { 'db/0': unit } } } },
    });
  },
);
