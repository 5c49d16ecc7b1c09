import { notFound } from '../../../core/errors.ts';
import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';

/** Returns the addresses of models: every model is served here, at all of this controller's addresses. */
export async function controllerAPIInfoForModels(
  call: Call,
  params: ParamsOf<typeof spec, 'ControllerAPIInfoForModels'>,
): Promise<ResultOf<typeof spec, 'ControllerAPIInfoForModels'>> {
  const { addresses, caCert: cacert } = call.services;
  const results = await bulk(call, params.entities, ({ tag }) => {
    const uuid = parseTagOf('model', tag);
    if (!call.read().in('').get('model', uuid)) throw notFound('model', uuid);
    return { addresses, cacert };
  });
  return { results: results.map((one) => ('error' in one ? { addresses: [], cacert: '', ...one } : one)) };
}
