import { networkOf } from '../../../core/cidr.ts';
import { notValid } from '../../../core/errors.ts';
import type { subnets as spec } from '../../../wire/facades/subnets.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { describeSubnet } from '../shared/spaces.ts';

/** The subnets with each CIDR: one, or none. */
export async function subnetsByCIDR(
  call: Call,
  { cidrs }: ParamsOf<typeof spec, 'SubnetsByCIDR'>,
): Promise<ResultOf<typeof spec, 'SubnetsByCIDR'>> {
  const view = call.read();
  return {
    results: await bulk(call, cidrs, (text) => {
      const cidr = networkOf(text);
      if (cidr === undefined) throw notValid(`"${text}" is not a valid CIDR`);
      const subnet = view.get('subnet', cidr);
      return subnet ? { subnets: [{ ...describeSubnet(subnet), id: subnet.id }] } : {};
    }),
  };
}
