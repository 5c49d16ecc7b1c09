import { JujuError } from '../../../core/errors.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import type { Call } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { currentModel } from './model.ts';

/** A moment of the past: one of the two, the time in RFC 3339. */
interface PastMoment {
  readonly revision?: number | undefined;
  readonly time?: string | undefined;
}

/** A model as it was. */
interface PastOfModel {
  readonly revision: number;
  /** The model's own documents. */
  readonly view: View;
  readonly model: ModelDoc;
}

/**
 * Returns the model of the call as it was at the moment. Errors: `not valid`; `not found` in the future, beyond the
 * history, and before the model, with when that was made.
 */
export async function pastOfModel(call: Call, moment: PastMoment): Promise<PastOfModel> {
  const { uuid, name } = currentModel(call);
  const revision = pastRevision(call, moment);
  const view = (await call.store.at(revision)).in(uuid);
  const model = view.in('').get('model', uuid);
  if (model) return { revision, view, model };
  const then = moment.time ?? `revision ${revision}`;
  // The oldest change after then made the model, or brought it back.
  const documents = [{ space: '', kind: 'model', id: uuid }];
  const first = [...call.store.past({ documents, after: revision })].at(-1);
  const since = first && `: it has been here since ${first.at}, revision ${first.revision}`;
  throw new JujuError('not found', `there was no model "${name}" at ${then}${since ?? ''}`);
}

/** The newest revision at the moment. */
function pastRevision(call: Pick<Call, 'store' | 'services'>, { revision, time }: PastMoment): number {
  if ((revision === undefined) === (time === undefined))
    throw new JujuError('not valid', 'specify either a revision or a time');
  if (revision !== undefined) return revision;
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) throw new JujuError('not valid', `"${time}" is not a time`);
  if (ms > call.services.clock.now()) throw new JujuError('not found', `${time} is in the future`);
  return call.store.revisionAt(ms);
}
