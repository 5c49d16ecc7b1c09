import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { charmOriginOf } from '../shared/charm-origin.ts';

export function getCharmURLOrigin(
  call: Call,
  params: ParamsOf<typeof spec, 'GetCharmURLOrigin'>,
): ResultOf<typeof spec, 'GetCharmURLOrigin'> {
  const application = mustGet(call.read(), 'application', params.application);
  return { url: application.charmUrl, 'charm-origin': charmOriginOf(application) };
}
