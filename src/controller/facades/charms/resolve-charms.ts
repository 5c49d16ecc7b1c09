import { seriesOfBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';

/** Resolves local charms to themselves. There is no store in which to look up others. */
export function resolveCharms(
  call: Call,
  params: ParamsOf<typeof spec, 'ResolveCharms'>,
): ResultOf<typeof spec, 'ResolveCharms'> {
  const resolved = params.resolve.map((request) => resolve(call, request));
  return call.version >= 7
    ? { Results: resolved.map(({ bases, ...result }) => ({ ...result, 'supported-bases': bases })) }
    : {
        Results: resolved.map(({ bases, ...result }) => ({ ...result, 'supported-series': seriesOf(bases) })),
      };
}

function resolve(call: Call, request: ParamsOf<typeof spec, 'ResolveCharms'>['resolve'][number]) {
  const { reference, 'charm-origin': origin } = request;
  try {
    if (!reference.startsWith('local:'))
      throw new JujuError(
        'not supported',
        `cannot resolve "${reference}": Charmhub is not supported by this controller`,
      );
    const { url, bases } = mustGet(call.read(), 'charm', reference);
    return { url, 'charm-origin': origin, bases };
  } catch (error) {
    return { url: reference, 'charm-origin': origin, bases: [], error: itemError(call, error) };
  }
}

function seriesOf(bases: readonly Base[]): string[] {
  return bases.map(seriesOfBase).filter((series) => series !== '');
}
