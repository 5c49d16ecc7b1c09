import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addCloud as transaction } from '../../transactions/set/put-cloud.ts';
import { readCloud } from './read-cloud.ts';

/** Adds a cloud. `force` is for clouds that Juju considers incompatible; here all are compatible. */
export async function addCloud(
  call: Call,
  params: ParamsOf<typeof spec, 'AddCloud'>,
): Promise<ResultOf<typeof spec, 'AddCloud'>> {
  const cloud = readCloud(call, params.name, params.cloud);
  await call.store.change((tx) => transaction(tx.in(''), cloud), call.by);
  return {};
}
