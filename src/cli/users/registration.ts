import { encodeRegistrationToken } from '../../wire/registration-token.ts';
import type { ControllerSession } from '../../operate/sessions.ts';

/** The command line by which a user registers. `key`: in base64, as the controller answers it. */
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
