import { networkOf } from '../cidr.ts';
import { JujuError } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';

/**
 * Checks the CIDRs of `integrate --via` and returns them as networks. Errors: `not valid`; `quota limit exceeded`; ''
 * for a relation whose ends are both in this model.
 */
export function checkVia(cidrs: readonly string[], remote: boolean): string[] {
  if (cidrs.length === 0) return [];
  if (!remote) throw new JujuError('', 'integration via subnets for non cross model relations not supported');
  checkLimit(limits.viaCidrs, cidrs.length);
  return cidrs.map((cidr) => {
    const network = networkOf(cidr.trim());
    if (network === undefined) throw new JujuError('not valid', `invalid CIDR address: ${cidr}`);
    if (network.endsWith('/0')) throw new JujuError('not valid', `CIDR "${cidr.trim()}" not allowed`);
    return network;
  });
}
