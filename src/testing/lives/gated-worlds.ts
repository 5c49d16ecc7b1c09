/** Worlds with an application that comes after another. */
import type { Command } from './step.ts';
import type { SmallWorld } from './walk.ts';
import { db, integrate, log, remove, small, wait } from './worlds.ts';

const gated = (units = 1): Command => ({
  do: 'deploy',
  application: 'web',
  charm: 'web',
  units,
  after: 'db',
});
const open: Command = { do: 'open-gate', application: 'web', after: 'db' };

export const gates: readonly SmallWorld[] = [
  // The other one is not there yet, is removed before it was healthy, and comes again.
  small([], [gated(), db(0), open, remove('web')]),
  small([db(), gated()], [remove('db'), db(0), open]),
  small([db(), gated()], [{ do: 'remove-application', application: 'web', force: 0 }, open, wait]),
  small([db(), gated()], [{ do: 'remove-unit', unit: 'web/0' }, open, remove('web')]),
  // An open gate stays open; who requires the application waits with it.
  small([db(), gated()], [open, { do: 'remove-application', application: 'db', force: 10 }, wait]),
  small(
    [db(0), gated(0), log],
    [integrate(['log:info', 'web:juju-info']), { do: 'add-unit', application: 'web' }, open, remove('web')],
  ),
  small(
    [db(), gated()],
    [integrate(['web:db', 'db:server']), open, remove('db'), { do: 'add-unit', application: 'web' }],
  ),
  // Units wait for a machine that is removed meanwhile.
  small(
    [db(), gated(0)],
    [
      { do: 'add-unit', application: 'web', to: '0' },
      { do: 'remove-machine', machine: '0', force: 0 },
      open,
      { do: 'destroy-model', force: 0 },
    ],
  ),
  small([db(), gated()], [open, { do: 'destroy-model', force: 10 }, wait]),
];
