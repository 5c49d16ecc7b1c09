import { JujuError } from '../../../core/errors.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { statusOfModel } from '../client/full-status.ts';
import { statusScope } from '../client/status/scope.ts';
import { currentModel } from '../shared/model.ts';
import { pastRevision } from '../shared/past-revision.ts';

/**
 * Returns the model's status at a past time. Errors: `not found` beyond the history or in the future, and for a time at
 * which the model did not exist; `not valid`.
 */
export async function statusAt(
  call: Call,
  params: ParamsOf<typeof spec, 'StatusAt'>,
): Promise<ResultOf<typeof spec, 'StatusAt'>> {
  const { uuid, name } = currentModel(call);
  const revision = pastRevision(call, params);
  const view = (await call.store.at(revision)).in(uuid);
  const time = call.store.timeOf(revision);
  if (!view.in('').get('model', uuid))
    throw new JujuError('not found', `there was no model "${name}" at revision ${revision}`);
  // The instant decides whose lease was valid.
  const instant = params.time === undefined ? time : new Date(params.time).toISOString();
  const scope = statusScope(call, { view, now: instant || call.store.horizon.at });
  const status = await statusOfModel(scope, uuid, { patterns: params.patterns, withStorage: true });
  return { revision, time, status };
}
