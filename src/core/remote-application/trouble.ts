/** Words for what goes wrong between models, by which it is known again (offers.md#over-the-wire). */

/** How the message of each error begins that says that a controller is not reached. */
export const unreachable = 'cannot connect to external controller';

/** Why a relation is suspended whose user may not consume the offer any more. */
export const permissionRevoked = 'offer permission revoked';

export function networkRefused(network: string): string {
  return `network ${network} is not within saas-ingress-allow of the offering model`;
}

/** The network that the message of a refusal names; undefined for other messages. */
export function refusedNetwork(message: string): string | undefined {
  const [, network] = /^network (\S+) /.exec(message) ?? [];
  return message === networkRefused(network ?? '') ? network : undefined;
}
