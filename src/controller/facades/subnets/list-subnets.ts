import type { subnets as spec } from '../../../wire/facades/subnets.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { byCidr, describeSubnet } from '../shared/spaces.ts';

export function listSubnets(
  call: Call,
  { 'space-tag': tag = '', zone = '' }: ParamsOf<typeof spec, 'ListSubnets'>,
): ResultOf<typeof spec, 'ListSubnets'> {
  const space = tag === '' ? undefined : parseTagOf('space', tag);
  const subnets = [...call.read().list('subnet')].filter(
    (subnet) =>
      (space === undefined || subnet.space === space) && (zone === '' || subnet.zones.includes(zone)),
  );
  return { results: subnets.sort(byCidr).map(describeSubnet) };
}
