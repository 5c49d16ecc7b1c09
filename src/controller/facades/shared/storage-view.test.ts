/** Tests of storage as clients see it. */
import { expect, test } from 'vitest';
import { attachedTo, storageDoc } from '../../../testing/storage-doc.ts';
import { filesystemDetails, volumeDetails } from './storage-view.ts';

const loop = { pool: 'loop', provider: 'loop', machine: '0', ...attachedTo('db/0') } as const;
const made = { providerId: 'volume-0-4', size: 1024 };
const attached = { 'device-name': 'loop2', 'read-only': false };

test('a disk is a volume and no file system', () => {
  const doc = storageDoc('disk/3', {
    ...loop,
    type: 'block',
    number: '0/4',
    made,
    mounted: '/dev/loop2',
    device: 'loop2',
  });
  expect(filesystemDetails(doc)).toBeUndefined();
  expect(volumeDetails(doc)).toMatchObject({
    'volume-tag': 'volume-0-4',
    info: { 'volume-id': 'volume-0-4', pool: 'loop', size: 1024, persistent: false },
    life: 'alive',
    'machine-attachments': { 'machine-0': { ...attached, VolumeAttachmentInfo: attached, life: 'alive' } },
    'unit-attachments': { 'unit-db-0': attached },
    storage: { kind: 1, attachments: { 'unit-db-0': { location: '/dev/loop2' } } },
  });
});

test('a file system on a loop device has a volume below it', () => {
  const doc = storageDoc('data/3', {
    ...loop,
    number: '0/1',
    volume: '0/4',
    made,
    mounted: '/srv',
    device: 'loop2',
  });
  expect(filesystemDetails(doc)).toMatchObject({
    'filesystem-tag': 'filesystem-0-1',
    'volume-tag': 'volume-0-4',
    info: { 'filesystem-id': 'filesystem-0-1' },
    'machine-attachments': { 'machine-0': { 'mount-point': '/srv', 'read-only': false } },
  });
  expect(volumeDetails(doc)).toMatchObject({
    'volume-tag': 'volume-0-4',
    info: { 'volume-id': 'volume-0-4' },
    'machine-attachments': { 'machine-0': attached },
  });
});

test('a folder has no volume', () => {
  const doc = storageDoc('data/3', { machine: '0', number: '0/3', made: { providerId: '0/3', size: 9 } });
  expect(volumeDetails(doc)).toBeUndefined();
  expect(filesystemDetails(doc)).toMatchObject({ info: { 'filesystem-id': '0/3' } });
  expect(filesystemDetails(doc)).not.toHaveProperty('volume-tag');
});
