import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';

/** Lists the charms with the given names; all charms when no name is given. */
export function list(call: Call, params: ParamsOf<typeof spec, 'List'>): ResultOf<typeof spec, 'List'> {
  const view = call.read();
  const charms =
    params.names.length === 0
      ? [...view.list('charm')]
      : params.names.flatMap((name) => [...view.find('charm', 'name', name)]);
  return { 'charm-urls': charms.map((charm) => charm.url) };
}
