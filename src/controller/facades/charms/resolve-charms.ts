import { seriesOfBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';

/** Local charms are what they are called. There is no store to look others up in. */
export function resolveCharms(
  call: Call,
  params: ParamsOf<typeof spec, 'ResolveCharms'>,
): ResultOf<typeof spec, 'ResolveCharms'> {
  const view = call.read();
  return {
    Results: params.resolve.map(({ reference, 'charm-origin': origin }) => {
      try {
        if (!reference.startsWith('local:'))
          throw new JujuError(
            'not supported',
            `cannot resolve "${reference}": Charmhub is not supported by this controller`,
          );
        const { url, bases } = mustGet(view, 'charm', reference);
        return { url, 'charm-origin': origin, ...supported(call, bases) };
      } catch (error) {
        return {
          url: reference,
          'charm-origin': origin,
          ...supported(call, []),
          error: itemError(call, error),
        };
      }
    }),
  };
}

function supported(call: Call, bases: readonly Base[]) {
  return call.version >= 7
    ? { 'supported-bases': bases }
    : { 'supported-series': bases.map(seriesOfBase).filter((series) => series !== '') };
}
