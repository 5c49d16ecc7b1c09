/** Messages of problems between models, by which the problems are recognized (offers.md#over-the-wire). */

/** Beginning of the message of each error that says that a controller is not reached. */
export const unreachable = 'cannot connect to external controller';

/** Reason of a suspended relation whose user may not consume the offer any more. */
export const permissionRevoked = 'offer permission revoked';

export function networkRefused(network: string): string {
  return `network ${network} is not within saas-ingress-allow of the offering model`;
}

/** The network that the message of a refusal names; undefined for other messages. */
export function refusedNetwork(message: string): string | undefined {
  const [, network] = /^network (\S+) /.exec(message) ?? [];
  return message === networkRefused(network ?? '') ? network : undefined;
}
