import { encodeRegistrationToken } from '../../wire/registration-token.ts';
import type { ControllerSession } from '../../operate/sessions.ts';

/** Returns the command line by which a user registers. `key`: key in base64, as the controller returns it. */
export function registerLine(
  { controller, details }: Pick<ControllerSession, 'controller' | 'details'>,
  user: string,
  key: string,
): string {
  const token = encodeRegistrationToken({
    user,
    addresses: details['api-endpoints'],
    key: Buffer.from(key, 'base64'),
    controllerName: controller,
  });
  return `    juju register ${token}`;
}
