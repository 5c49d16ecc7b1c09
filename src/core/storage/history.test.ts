/** Tests of how changes of a storage are told. */
import { expect, test } from 'vitest';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import type { StorageDoc } from './document.ts';
import { describeStorage } from './history.ts';

const volume = { pool: 'lxd', provider: 'lxd', detachable: true } as const;
const made = { providerId: 'vol-1', size: 2048 };
const held = { made, instance: 'i-1', attached: true } as const;

interface Row {
  readonly name: string;
  readonly before?: StorageDoc;
  readonly after?: StorageDoc;
  readonly events: readonly string[];
}

const changes: readonly Row[] = [
  {
    name: 'storage is added to a unit',
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0') }),
    events: ['unit mysql/0: storage data/0 added (pool lxd, 1.0 GiB)'],
  },
  {
    name: 'the volume of a storage is provisioned',
    before: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0') }),
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), made }),
    events: ['unit mysql/0: storage data/0 volume provisioned (vol-1, 2.0 GiB)'],
  },
  {
    name: 'the file system of a storage is provisioned',
    before: storageDoc('data/0', attachedTo('mysql/0')),
    after: storageDoc('data/0', { ...attachedTo('mysql/0'), made: { providerId: '0/0', size: 1024 } }),
    events: ['unit mysql/0: storage data/0 file system provisioned (0/0, 1.0 GiB)'],
  },
  {
    name: 'the instance of a volume is only written down, before the cloud is asked',
    before: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), made }),
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), made, instance: 'i-1' }),
    events: [],
  },
  {
    name: 'a volume is attached',
    before: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), made, instance: 'i-1' }),
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), ...held }),
    events: ['unit mysql/0: storage data/0 volume attached to instance i-1'],
  },
  {
    name: 'storage is mounted',
    before: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), ...held }),
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), ...held, mounted: '/srv' }),
    events: ['unit mysql/0: storage data/0 mounted at /srv'],
  },
  {
    name: 'storage is detached, to be released',
    before: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), ...held }),
    after: storageDoc('data/0', { ...volume, ...held, mounted: '', ending: 'release' }),
    events: ['unit mysql/0: storage data/0 detached', 'unit mysql/0: storage data/0 is to be released'],
  },
  {
    name: 'a volume is detached',
    before: storageDoc('data/0', { ...volume, ...held }),
    after: storageDoc('data/0', { ...volume, made }),
    events: ['storage data/0: volume detached from instance i-1'],
  },
  {
    name: 'storage is lost with the instance of its machine',
    before: storageDoc('data/0', { ...attachedTo('mysql/0'), made }),
    after: storageDoc('data/0', attachedTo('mysql/0')),
    events: ['unit mysql/0: storage data/0 file system lost with its instance'],
  },
  {
    name: 'a step of a storage fails',
    before: storageDoc('data/0', volume),
    after: storageDoc('data/0', { ...volume, problem: 'quota is used up' }),
    events: ['storage data/0: failed: quota is used up'],
  },
  {
    name: 'a failure of a storage is over',
    before: storageDoc('data/0', { ...volume, problem: 'quota is used up' }),
    after: storageDoc('data/0', volume),
    events: [],
  },
  {
    name: 'detached storage is attached to a unit',
    before: storageDoc('data/0', { ...volume, made }),
    after: storageDoc('data/0', { ...volume, ...attachedTo('mysql/0'), made }),
    events: ['unit mysql/0: storage data/0 attached'],
  },
  {
    name: 'storage is destroyed',
    before: storageDoc('data/0', { ...volume, made, ending: 'destroy' }),
    events: ['storage data/0: removed'],
  },
  {
    name: 'storage is released',
    before: storageDoc('data/0', { ...volume, made, ending: 'release' }),
    events: ['storage data/0: released'],
  },
];

test.each(changes)('$name', ({ before, after, events }) => {
  const told = describeStorage(before, after).map(
    ({ subject, what, detail }) => `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}`,
  );
  expect(told).toEqual(events);
});
