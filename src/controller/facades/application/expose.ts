import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { expose as transaction } from '../../transactions/set/expose.ts';
import { changeModel } from '../shared/change-model.ts';

export async function expose(
  call: Call,
  params: ParamsOf<typeof spec, 'Expose'>,
): Promise<ResultOf<typeof spec, 'Expose'>> {
  const endpoints = Object.fromEntries(
    Object.entries(params['exposed-endpoints'] ?? {}).map(([endpoint, sources]) => [
      endpoint,
      { cidrs: sources['expose-to-cidrs'] ?? [], spaces: sources['expose-to-spaces'] ?? [] },
    ]),
  );
  await changeModel(call, (tx) => transaction(tx, { application: params.application, endpoints }));
  return {};
}
