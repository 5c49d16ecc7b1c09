import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { defined } from '../../../core/defined.ts';
import { mustGet } from '../../transactions/tx.ts';
import { charmOriginOf } from '../shared/charm-origin.ts';

export function getCharmURLOrigin(
  call: Call,
  params: ParamsOf<typeof spec, 'GetCharmURLOrigin'>,
): ResultOf<typeof spec, 'GetCharmURLOrigin'> {
  const view = call.read();
  const application = mustGet(view, 'application', params.application);
  const origin = charmOriginOf(application);
  // Clients see by the hash that somebody else changed a local charm; the hash in the origin may be of an older one.
  const hash = origin.source === 'local' ? view.get('charm', application.charmUrl)?.sha256 : origin.hash;
  return { url: application.charmUrl, 'charm-origin': { ...origin, ...defined({ hash }) } };
}
