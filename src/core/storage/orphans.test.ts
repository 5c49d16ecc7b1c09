import { expect, test } from 'vitest';
import { adoptedTag, planOrphans, storageTag, type TaggedVolume } from './orphans.ts';

const volume = (id: string, storage: string, attachedTo: readonly string[] = []): TaggedVolume => ({
  id,
  tags: { [storageTag]: storage },
  attachedTo,
});

const removed: Parameters<typeof planOrphans>[2]['removed'] = (storage) =>
  ({
    'data/1': { ending: 'destroy' as const, detachable: true },
    'data/2': { ending: 'release' as const, detachable: true },
    'data/3': { detachable: true },
    'data/4': { ending: 'destroy' as const, detachable: false },
  })[storage];

test.each([
  ['a volume of a storage', volume('v', 'data/0'), {}],
  ['a volume without a tag', { id: 'v', tags: {}, attachedTo: [] }, {}],
  ['a volume of removed storage', volume('v', 'data/1'), { ends: ['destroy'] }],
  ['a volume of storage that was to be released', volume('v', 'data/2'), { ends: ['release'] }],
  ['a volume of removed storage that another storage has', volume('v-of-5', 'data/1'), {}],
  ['a volume of removed storage that an instance has', volume('v', 'data/1', ['i']), { ends: ['destroy'] }],
  ['a volume of unknown storage that an instance has', volume('v', 'data/9', ['i']), { unknown: ['v'] }],
  ['a volume of storage whose end nobody asked for', volume('v', 'data/3'), { unknown: ['v'] }],
  ['a volume of what was storage of a machine', volume('v', 'data/4'), { unknown: ['v'] }],
  ['a volume of storage that was never known', volume('v', 'data/9'), { unknown: ['v'] }],
] as const)(
  '%s',
  (_, one, { ends = [], unknown = [] }: { ends?: readonly string[]; unknown?: readonly string[] }) => {
    const records = [{ id: 'data/0' }, { id: 'data/5', made: { providerId: 'v-of-5', size: 1 } }];
    const plan = planOrphans([one], records, { removed, modelGoes: false });
    expect(plan.ends.map(({ how }) => how)).toEqual(ends);
    expect(plan.unknown).toEqual(unknown);
  },
);

test('A volume that was adopted for unknown storage is released before its model goes, and stays until then', () => {
  const made = volume('made', 'data/9');
  const adopted = {
    ...volume('adopted', 'data/8', ['i']),
    tags: { [storageTag]: 'data/8', [adoptedTag]: 'true' },
  };
  const plan = (modelGoes: boolean) => planOrphans([made, adopted], [], { removed, modelGoes });
  expect(plan(false)).toEqual({ ends: [], unknown: ['made', 'adopted'] });
  expect(plan(true)).toEqual({
    ends: [{ id: 'adopted', storage: 'data/8', how: 'release', attachedTo: ['i'] }],
    unknown: ['made'],
  });
});
