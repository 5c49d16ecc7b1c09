import { endpointsOf } from '../../../core/charm/metadata.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { charmOf } from '../shared/find.ts';

export function charmRelations(
  call: Call,
  params: ParamsOf<typeof spec, 'CharmRelations'>,
): ResultOf<typeof spec, 'CharmRelations'> {
  const view = call.read();
  const charm = charmOf(view, mustGet(view, 'application', params.application));
  return { 'charm-relations': Object.keys(endpointsOf(charm.meta)) };
}
