/** Tests of the tables of file systems and volumes. */
import { expect, test } from 'vitest';
import { filesystemDetails, volumeDetails } from '../../controller/facades/shared/storage-view.ts';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import { filesystemTable, volumeTable } from './storage-lists.ts';

const loop = { pool: 'loop', provider: 'loop', machine: '0', size: 64, ...attachedTo('db/0') } as const;
const disk = storageDoc('disk/3', {
  ...loop,
  type: 'block',
  number: '0/4',
  made: { providerId: 'volume-0-4', size: 64 },
  mounted: '/dev/loop2',
  device: 'loop2',
});
const data = storageDoc('data/2', {
  ...loop,
  number: '0/1',
  volume: '0/3',
  made: { providerId: 'volume-0-3', size: 64 },
  mounted: '/srv',
  device: 'loop1',
});
const free = storageDoc('data/1', {
  pool: 'local',
  provider: 'local',
  detachable: true,
  number: '1',
  made: { providerId: '1', size: 2048 },
});

test('volumes are listed by machine, unit and storage', () =>
  expect(volumeTable([disk, data, free].flatMap((doc) => volumeDetails(doc) ?? []))).toEqual([
    ['Machine', 'Unit', 'Storage ID', 'Volume ID', 'Provider ID', 'Device', 'Size', 'State', 'Message'],
    ['0', 'db/0', 'data/2', '0/3', 'volume-0-3', 'loop1', '64 MiB', 'attached', ''],
    ['0', 'db/0', 'disk/3', '0/4', 'volume-0-4', 'loop2', '64 MiB', 'attached', ''],
  ]));

test('file systems are listed with the volumes that they are on', () =>
  expect(filesystemTable([disk, data, free].flatMap((doc) => filesystemDetails(doc) ?? []))).toEqual([
    [
      'Machine',
      'Unit',
      'Storage ID',
      'ID',
      'Volume',
      'Provider ID',
      'Mountpoint',
      'Size',
      'State',
      'Message',
    ],
    ['', '', 'data/1', '1', '', '1', '', '2.0 GiB', 'detached', ''],
    ['0', 'db/0', 'data/2', '0/1', '0/3', 'filesystem-0-1', '/srv', '64 MiB', 'attached', ''],
  ]));

test('columns of machines are left out where nothing is on a machine', () =>
  expect(filesystemTable([free].flatMap((doc) => filesystemDetails(doc) ?? []))[0]).toEqual([
    'Unit',
    'Storage ID',
    'ID',
    'Provider ID',
    'Mountpoint',
    'Size',
    'State',
    'Message',
  ]));
