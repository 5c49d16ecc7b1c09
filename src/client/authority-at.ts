import { X509Certificate } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { JujuError } from '../core/errors.ts';
import { hostOf } from '../core/host-port.ts';
import { firstThatAnswers, serverName } from './connect.ts';

const timeoutMs = 20_000;

/**
 * Fetches the CA certificate, in PEM, of the server at `host:port`. Nothing has verified it: a user has to. Errors:
 * JujuError `try again` when nothing answers there; '' when the server presents no CA certificate.
 */
export async function authorityAt(address: string, signal: AbortSignal): Promise<string> {
  const presented = await firstThatAnswers([address], signal, (one) => chainAt(one, signal));
  const authority = presented.find(({ ca }) => ca);
  if (!authority) throw new JujuError('', `the server at ${address} presents no CA certificate`);
  return authority.toString();
}

function chainAt(address: string, signal: AbortSignal): Promise<X509Certificate[]> {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostOf(address),
      port,
      servername: serverName,
      rejectUnauthorized: false,
      timeout: timeoutMs,
    });
    const fail = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', fail, { once: true });
    socket.once('timeout', () => socket.destroy(new Error(`no answer for ${timeoutMs / 1000} s`)));
    socket.once('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', fail));
    socket.once('secureConnect', () => {
      resolve(chainOf(socket.getPeerCertificate(true)));
      socket.destroy();
    });
  });
}

/** Certificates from the server's own to the last issuer that it presents. */
function chainOf(leaf: DetailedPeerCertificate): X509Certificate[] {
  const chain = new Set<DetailedPeerCertificate>();
  for (let one: DetailedPeerCertificate | undefined = leaf; one?.raw && !chain.has(one);) {
    chain.add(one);
    one = one.issuerCertificate;
  }
  return [...chain].map(({ raw }) => new X509Certificate(raw));
}
