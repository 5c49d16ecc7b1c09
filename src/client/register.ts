import { JujuError } from '../core/errors.ts';
import { cut, limits } from '../core/limits.ts';
import { parseJson } from '../core/parse-json.ts';
import { openBox, sealBox, secretboxNonceBytes } from '../kit/secretbox.ts';
import { decodeRegisteredController, decodeRegistrationAnswer } from '../wire/registration.ts';
import type { RegistrationToken } from '../wire/registration-token.ts';
import { userTag } from '../wire/tags.ts';
import { firstThatAnswers, serverName } from './connect.ts';

export interface RegisteredController {
  readonly uuid: string;
  readonly caCert: string;
}

/**
 * Registers a user with a password (login.md#registration). Any server certificate is taken: a server without the
 * token's key can neither read the password nor answer. Errors: JujuError of the answer; `not valid` for an answer that
 * was not made with the key; `try again` when no address answers.
 */
export function register(
  token: RegistrationToken,
  password: string,
  signal?: AbortSignal,
): Promise<RegisteredController> {
  return firstThatAnswers(token.addresses, signal, async (address) => {
    const { nonce, box } = sealBox(token.key, JSON.stringify({ password }));
    const answer = await post(address, signal, {
      user: userTag(token.user),
      nonce: nonce.toString('base64'),
      'cipher-text': box.toString('base64'),
    });
    const { nonce: answered, 'cipher-text': cipherText } = decodeRegistrationAnswer(answer);
    const answerNonce = Buffer.from(answered, 'base64');
    const opened =
      answerNonce.length === secretboxNonceBytes
        ? openBox(token.key, answerNonce, Buffer.from(cipherText, 'base64'))
        : undefined;
    if (opened === undefined)
      throw new JujuError('not valid', `${address} is not the controller that the token is for`);
    const { 'ca-cert': caCert, 'controller-uuid': uuid } = decodeRegisteredController(parseJson(opened));
    return { uuid, caCert };
  });
}

async function post(address: string, signal: AbortSignal | undefined, body: unknown): Promise<unknown> {
  // The bundled undici has its names only in the default export.
  const undici = (await import('undici')).default;
  const client = new undici.Client(`https://${address}`, {
    connect: { rejectUnauthorized: false, servername: serverName, timeout: 20_000 },
    maxResponseSize: limits.yamlBytes.max,
    allowH2: false,
    pipelining: 0,
  });
  try {
    const response = await client.request({
      method: 'POST',
      path: '/register',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    const text = await response.body.text();
    if (response.statusCode === 200) return parseJson(text);
    throw new JujuError('', messageOf(text) ?? `${address} answered ${response.statusCode}`);
  } finally {
    await client.destroy();
  }
}

/** Message of `{"error":{"message","code"}}`. */
function messageOf(text: string): string | undefined {
  try {
    const { error } = parseJson(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? cut({ max: 1000 }, error.message) : undefined;
  } catch {
    return undefined;
  }
}
