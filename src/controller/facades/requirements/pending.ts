import type { requirements as spec } from '../../../wire/facades/requirements.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { now } from '../shared/now.ts';
import { pendingApplication } from '../shared/pending-application.ts';

/** Maximum number of listed applications: nobody reads a longer list. */
const listedMax = 1000;

export function pending(call: Call): ResultOf<typeof spec, 'Pending'> {
  const view = call.read();
  const waiting = [...view.find('application', 'pending', 'pending')].filter(({ life }) => life === 'alive');
  const first = waiting.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, listedMax);
  return {
    now: now(call),
    applications: first.flatMap((application) => pendingApplication(view, application) ?? []),
    total: waiting.length,
  };
}
