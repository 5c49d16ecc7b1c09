import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { statusOfModel } from '../client/full-status.ts';
import { statusScope } from '../client/status/scope.ts';
import { currentModel } from '../shared/model.ts';
import { pastOfModel } from '../shared/past-revision.ts';

/** Returns the model's status at a past time. Errors: those of pastOfModel. */
export async function statusAt(
  call: Call,
  params: ParamsOf<typeof spec, 'StatusAt'>,
): Promise<ResultOf<typeof spec, 'StatusAt'>> {
  const { uuid } = currentModel(call);
  const { revision, view } = await pastOfModel(call, params);
  const time = call.store.timeOf(revision);
  // The instant decides whose lease was valid.
  const instant = params.time === undefined ? time : new Date(params.time).toISOString();
  const scope = statusScope(call, { view, now: instant || call.store.horizon.at });
  const status = await statusOfModel(scope, uuid, { patterns: params.patterns, withStorage: true });
  return { revision, time, status };
}
