/** Registration of users who were added without a password (login.md#registration). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { isActive, userId } from '../../core/user/document.ts';
import { openBox, sealBox, secretboxKeyBytes, secretboxNonceBytes } from '../../kit/secretbox.ts';
import { cookieName, sliceToText } from '../../kit/macaroon/slices.ts';
import { decodeRegistration, decodeRegistrationSecret } from '../../wire/registration.ts';
import { parseUserTag, userTag } from '../../wire/tags.ts';
import { noRegistrationKey, setUserPassword } from '../transactions/set/set-user.ts';
import type { ServerContext } from './context.ts';
import { allow, parseBody, readJson, sendJson } from './respond.ts';

/**
 * Serves `/register`: POST sets the password of a user who proves by its key that it was asked to. Errors: `bad
 * request`, `not valid` (nonce, password), `not found` (no such key), `unauthorized access` (disabled).
 */
export async function serveRegister(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allow(request, ['POST']);
  const body = decodeRegistration(await readJson(request, limits.registration));
  try {
    const { answer, cookie } = await register(context, body);
    sendJson(response, 200, answer, { 'Set-Cookie': cookie });
  } catch (error) {
    if (error instanceof JujuError)
      context.security.loginFailed({
        tag: body.user,
        address: request.socket.remoteAddress ?? '',
        reason: `registration: ${error.message}`,
      });
    throw error;
  }
}

const nobodysKey = Buffer.alloc(secretboxKeyBytes);

type Registration = ReturnType<typeof decodeRegistration>;

async function register(
  { store, services, passwords, localLogin }: ServerContext,
  { user: tag, nonce: sentNonce, 'cipher-text': cipherText }: Registration,
): Promise<{ answer: { nonce: string; 'cipher-text': string }; cookie: string }> {
  const name = parseUserTag(tag);
  const nonce = Buffer.from(sentNonce, 'base64');
  if (nonce.length !== secretboxNonceBytes) throw new JujuError('not valid', 'nonce not valid');
  const user = store.read().in('').get('user', userId(name));
  const sealedKey = user?.removed ? undefined : user?.registrationKey;
  // Strangers get the same answer, after the same work, for every name: they do not learn who is to register.
  const key = sealedKey ? Buffer.from(services.sealer.open(sealedKey), 'base64') : nobodysKey;
  const opened = openBox(key, nonce, Buffer.from(cipherText, 'base64'));
  if (!user || sealedKey === undefined || opened === undefined) throw noRegistrationKey(name);
  if (!isActive(user)) throw permissionDenied();
  const { password } = decodeRegistrationSecret(parseBody(opened));
  if (password === '') throw new JujuError('not valid', 'cannot use an empty password');
  checkLimit(limits.password, password.length);
  const passwordHash = await passwords.hash(password, tag);
  await store.change(
    (tx) => setUserPassword(tx.in(''), { name: userId(name), passwordHash, key: sealedKey }),
    userTag(user.name),
  );
  const { nonce: answerNonce, box } = sealBox(
    key,
    JSON.stringify({
      'ca-cert': services.caCert,
      'controller-uuid': store.read().in('').get('controller', 'self')?.uuid ?? '',
      'proxy-config': null,
    }),
  );
  const slice = [await localLogin.registered(user)];
  return {
    answer: { nonce: answerNonce.toString('base64'), 'cipher-text': box.toString('base64') },
    cookie: `${cookieName(slice)}=${sliceToText(slice)}; Path=/; Secure; HttpOnly`,
  };
}
