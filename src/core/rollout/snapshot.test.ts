import { describe, expect, test } from 'vitest';
import { blocksCharm } from './snapshot.ts';

const hook = 'data-storage-attached';

describe('whether an error keeps a unit from taking the charm of its application', () => {
  test.each([
    ['a hook of an installed charm', { hook }, { blocks: true, blocksForced: false }],
    ['a hook before the install', { hook, installed: false }, { blocks: false, blocksForced: false }],
    ['the deployment of a charm', { charm: 'local:db-1' }, { blocks: false, blocksForced: false }],
    ['a state that the controller does not take', {}, { blocks: true, blocksForced: true }],
  ])('%s', (_, data, expected) => {
    expect({ blocks: blocksCharm({ data }), blocksForced: blocksCharm({ data }, true) }).toEqual(expected);
  });
});
