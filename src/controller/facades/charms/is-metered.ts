import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';

/** Tells that no charm is metered: nobody collects metrics here, as in Juju since 3.6. */
export function isMetered(
  call: Call,
  { url }: ParamsOf<typeof spec, 'IsMetered'>,
): ResultOf<typeof spec, 'IsMetered'> {
  mustGet(call.read(), 'charm', url);
  return { metered: false };
}
