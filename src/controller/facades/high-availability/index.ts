import { controllersRefusal } from '../../../core/controller/high-availability.ts';
import { JujuError } from '../../../core/errors.ts';
import type { highAvailability as spec } from '../../../wire/facades/high-availability.ts';
import { machineTag } from '../../../wire/tags.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';

export const highAvailability = {
  EnableHA: { needs: 'superuser', blockable: 'change', run: enableHA },
} satisfies FacadeTable<typeof spec>;

/** Keeps the one controller machine, or says why there can be no other. */
async function enableHA(
  call: Call,
  { specs }: ParamsOf<typeof spec, 'EnableHA'>,
): Promise<ResultOf<typeof spec, 'EnableHA'>> {
  if (specs.length !== 1) throw new JujuError('', 'only one controller spec is supported');
  const root = call.read().in('');
  const view = call.read().in(root.get('controller', 'self')?.modelUuid ?? '');
  const existing = [...view.list('machine')].filter(({ isController }) => isController).map(({ id }) => id);
  const results = await bulk(call, specs, ({ 'num-controllers': count, placement = [] }) => {
    const refusal = controllersRefusal({ count, placement }, existing);
    if (refusal) throw refusal;
    return { result: { maintained: existing.map((id) => machineTag(id)) } };
  });
  return { results: results.map((one) => ({ result: {}, ...one })) };
}
