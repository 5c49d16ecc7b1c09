import { expect, test } from 'vitest';
import { listArgs } from './list-args.ts';

const change = { id: 'x-0', requires: [] };

test.each([
  [
    'addCharm',
    { charm: 'local:a-0', series: 'noble', base: 'ubuntu@24.04/stable' },
    ['local:a-0', 'noble', ''],
  ],
  ['addRelation', { endpoint1: '$deploy-1:db', endpoint2: '$deploy-2' }, ['$deploy-1:db', '$deploy-2']],
  ['addUnit', { application: '$deploy-1' }, ['$deploy-1', null]],
  ['addUnit', { application: '$deploy-1', to: '$addMachines-3' }, ['$deploy-1', '$addMachines-3']],
  [
    'deploy',
    { charm: '$addCharm-0', series: 'noble', application: 'a', options: { x: 1 }, 'num-units': 0 },
    ['$addCharm-0', 'noble', 'a', { x: 1 }, '', {}, {}, {}, {}, 0, ''],
  ],
  ['expose', { application: '$deploy-1' }, ['$deploy-1', null]],
  [
    'setAnnotations',
    { id: '$deploy-1', 'entity-type': 'application', annotations: { a: 'b' } },
    ['$deploy-1', 'application', { a: 'b' }],
  ],
  [
    'addMachines',
    { series: 'noble', 'container-type': 'lxd', 'parent-id': '$addMachines-1' },
    [{ series: 'noble', constraints: '', containerType: 'lxd', parentId: '$addMachines-1' }],
  ],
])('the arguments of %s by position: %j', (method, args, list) => {
  expect(listArgs({ ...change, method, args })).toEqual(list);
});
