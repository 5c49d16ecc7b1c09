import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { leaderOf } from '../../transactions/agent/leadership.ts';
import { itemError } from '../shared/bulk.ts';
import { applicationOfTag } from '../shared/find.ts';
import { now } from '../shared/now.ts';

export function leader(call: Call, params: ParamsOf<typeof spec, 'Leader'>): ResultOf<typeof spec, 'Leader'> {
  const view = call.read();
  const application = applicationOfTag(view, params.tag);
  const holder = leaderOf(view, application.name, now(call));
  if (holder !== '') return { result: holder };
  return {
    result: '',
    error: itemError(
      call,
      new JujuError('not found', `leader for application "${application.name}" not found`),
    ),
  };
}
