import { expect, test } from 'vitest';
import { makeBase } from '../base.ts';
import { stepsBefore } from './step-order.ts';
import type { ModelStep } from './step.ts';

const deploy = (application: string, path = application): ModelStep => ({
  kind: 'deploy',
  application,
  charm: { path },
  base: makeBase('ubuntu', '24.04'),
  options: {},
  constraints: {},
  bindings: {},
  require: [],
});
const upload = (path: string): ModelStep => ({ kind: 'upload', path });
const integrate = (a: string, b: string): ModelStep => ({
  kind: 'integrate',
  endpoints: [`${a}:x`, `${b}:y`],
});
const unit = (application: string, on: object = { kind: 'new' }): ModelStep => ({
  kind: 'add-unit',
  unit: { application, index: 0 },
  at: { on: on as { readonly kind: 'new' } },
  waits: false,
});
const settings: ModelStep = { kind: 'set-settings', values: { x: 1 } };
const secret: ModelStep = { kind: 'set-secret', secret: 's', changes: false, content: true };

test.each<[string, ModelStep[], number[][]]>([
  [
    'applications do not wait for each other',
    [upload('a'), upload('b'), deploy('a'), deploy('b')],
    [[], [], [0], [1]],
  ],
  [
    'applications of one charm wait for its upload',
    [upload('a'), deploy('a'), deploy('b', 'a')],
    [[], [0], [0]],
  ],
  [
    'a relation waits for both ends',
    [deploy('a'), deploy('b'), deploy('c'), integrate('a', 'b')],
    [[], [], [], [0, 1]],
  ],
  [
    'units wait for their application and its relations alone',
    [deploy('a'), deploy('b'), deploy('c'), integrate('a', 'b'), unit('a'), unit('c')],
    [[], [], [], [0, 1], [0, 3], [2]],
  ],
  [
    'a unit waits for the unit that it is placed beside',
    [unit('a'), unit('b', { kind: 'of-unit', unit: { application: 'a', index: 0 } })],
    [[], [0]],
  ],
  [
    'a unit waits for the machine that is made for it',
    [
      {
        kind: 'add-machine',
        id: 'machine 1',
        for: { machine: '1' },
        at: { on: { kind: 'new' } },
        base: makeBase('ubuntu', '24.04'),
        constraints: {},
        annotations: {},
      },
      { kind: 'annotate', on: { machine: '1' }, annotations: { x: 'y' } },
      unit('a', { kind: 'made', step: 'machine 1' }),
    ],
    [[], [0], [1]],
  ],
  [
    'changes of an application wait for each other',
    [
      deploy('a'),
      { kind: 'expose', application: 'a' },
      { kind: 'set-options', application: 'b', options: {} },
      { kind: 'unexpose', application: 'a' },
    ],
    [[], [0], [], [1]],
  ],
  [
    'all wait for what is the model’s',
    [settings, deploy('a'), deploy('b'), settings, deploy('c')],
    [[], [0], [0], [0, 1, 2], [3]],
  ],
  [
    'applications wait for secrets, which their options may name',
    [secret, deploy('a'), { kind: 'grant-secret', secret: 's', application: 'a' }],
    [[], [0], [0, 1]],
  ],
  [
    'an application goes after its offers, and its successor comes after it',
    [
      deploy('b'),
      { kind: 'remove-offer', offer: 'o' },
      { kind: 'remove-application', application: 'a', replaced: 'why' },
      deploy('a'),
    ],
    [[], [], [1], [2]],
  ],
])('%s', (_, steps, before) => {
  expect(stepsBefore(steps).map((places) => [...places].sort((a, b) => a - b))).toEqual(before);
});
