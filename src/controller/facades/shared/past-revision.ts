import { JujuError } from '../../../core/errors.ts';
import type { Call } from '../../facade.ts';

/** A moment of the past: one of the two, the time in RFC 3339. */
interface PastMoment {
  readonly revision?: number | undefined;
  readonly time?: string | undefined;
}

/** The newest revision at the moment. Errors: `not valid`; `not found` in the future and beyond the history. */
export function pastRevision(call: Pick<Call, 'store' | 'services'>, { revision, time }: PastMoment): number {
  if ((revision === undefined) === (time === undefined))
    throw new JujuError('not valid', 'specify either a revision or a time');
  if (revision !== undefined) return revision;
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) throw new JujuError('not valid', `"${time}" is not a time`);
  if (ms > call.services.clock.now()) throw new JujuError('not found', `${time} is in the future`);
  return call.store.revisionAt(ms);
}
