/** What explain says of roll-outs that have stopped, and of the units that stopped them. */
import { expect, test } from 'vitest';
import type { Rollout } from '../rollout/rollout.ts';
import { ref, type Case } from '../../testing/explain-cases.ts';
import {
  ago,
  application,
  explainView,
  hookFailed,
  lines,
  machine,
  status,
  unit,
} from '../../testing/explain-view.ts';

const stopped = {
  kind: 'refresh',
  state: 'stopped',
  maxUnavailable: '1',
  waitFor: 'active',
  batch: 2,
  since: ago(3),
  problem: { unit: 'web/1', message: 'hook failed: "upgrade-charm"' },
  before: { charmUrl: 'local:web-1' },
} as Rollout;
const view = (more: Parameters<typeof explainView>[0]) =>
  explainView({
    application: application('web', { charmUrl: 'local:web-2', rollout: stopped }),
    charm: { 'local:web-2': { url: 'local:web-2', meta: {} as never } },
    machine: machine('1'),
    unit: unit('web/1', '1', { charmUrl: 'local:web-2', released: 'local:web-2' }),
    ...more,
  });
const failed = view({ status: hookFailed('web/1', 'upgrade-charm') });
const well = view({ status: status('workload', 'web/1', 'active') });

test.each<Case>([
  [
    'a roll-out that a failed unit has stopped',
    'application web',
    failed,
    [
      'application web: alive, its refresh to local:web-2 is stopped: batch 2: unit web/1 is in error: hook failed: "upgrade-charm"',
      '  unit web/1: alive, hook failed: "upgrade-charm"',
      '> operator unit web/1 3m: fix what makes hook upgrade-charm fail; the agent retries it from time to time',
      '> operator application web 3m: mend the unit and go on, or return',
      '$ refresh web --resume',
    ],
  ],
  [
    'a roll-out whose unit has got well, which goes on when the user says so',
    'application web',
    well,
    [
      'application web: alive, its refresh to local:web-2 is stopped: batch 2: unit web/1 was in error, and no longer is: hook failed: "upgrade-charm"',
      '> operator application web 3m: go on, or return',
    ],
  ],
  [
    'a roll-out whose unit is gone',
    'application web',
    view({ unit: {} }),
    [
      'application web: alive, its refresh to local:web-2 is stopped: batch 2: unit web/1 was in error, and is removed since: hook failed: "upgrade-charm"',
    ],
  ],
  [
    'the unit that has stopped a roll-out, with the command that goes on',
    'unit web/1',
    failed,
    [
      'unit web/1: alive, hook failed: "upgrade-charm"',
      '$ refresh web --resume',
      '$ resolved web/1',
      '$ resolved web/1 --no-retry',
    ],
  ],
])('%s', (_, entity, of, expected) => {
  expect(lines(ref(entity), of)).toEqual(expect.arrayContaining([...expected]));
});
