import type { HttpOptions } from '../client/http.ts';
import type { ControllerDetails } from './records.ts';

/** Addresses and login of a session, for another connection to its controller, or a request. */
export function loginOptions(
  { details, login }: { readonly details: ControllerDetails; readonly login: HttpOptions['login'] },
  signal: AbortSignal,
): Required<HttpOptions> {
  return { addresses: details['api-endpoints'], caCert: details['ca-cert'], login, signal };
}
