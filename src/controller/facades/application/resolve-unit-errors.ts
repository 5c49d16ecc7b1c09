import { statusId } from '../../../core/status.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { resolveUnit } from '../../transactions/set/resolve-unit.ts';
import type { View } from '../../transactions/tx.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function resolveUnitErrors(
  call: Call,
  params: ParamsOf<typeof spec, 'ResolveUnitErrors'>,
): Promise<ResultOf<typeof spec, 'ResolveUnitErrors'>> {
  const retry = params.retry ?? false;
  const units = params.all
    ? unresolved(call.read()).map((unit) => () => unit)
    : (params.tags?.entities ?? []).map(
        ({ tag }) =>
          () =>
            parseTagOf('unit', tag),
      );
  return {
    results: await bulk(call, units, async (unit) => {
      await changeModel(call, (tx) => resolveUnit(tx, { unit: unit(), retry }));
      return {};
    }),
  };
}

/** Units in error that nobody has resolved yet. */
function unresolved(view: View): string[] {
  return [...view.list('unit')]
    .filter(
      (unit) =>
        unit.resolved === '' && view.get('status', statusId('unit-agent', unit.name))?.status === 'error',
    )
    .map((unit) => unit.name);
}
