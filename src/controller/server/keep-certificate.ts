/** Server certificate of the controller, renewed while it serves. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { authorityWarningMs } from '../../core/explain/explain-authority.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import { createServerCertificate, type KeyPair } from '../certificates.ts';

/** Interval of checks: they are cheap, and addresses may change at any time. */
const checkMs = 3_600_000;
const dayMs = 86_400_000;

export interface CertificateKeeper {
  /** Certificate to serve with at first. */
  readonly first: KeyPair;
  /** Checks every hour; hands a new certificate to `use`, which puts it in place. */
  start(use: (pair: KeyPair) => void): void;
  stop(): Promise<void>;
}

/**
 * Creates a server certificate and keeps it valid: a new one is created when a third of its life is left, when it does
 * not name one of `addresses`, or when the clock says that it is not valid yet. Clients and agents trust the authority,
 * so they need no update. No certificate is kept on disk.
 */
export async function keepCertificate(options: {
  readonly authority: KeyPair;
  /** IPs or host names that the controller is reached at now. */
  readonly addresses: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}): Promise<CertificateKeeper> {
  const { authority, addresses, clock, log, random } = options;
  const authorityUntil = new X509Certificate(authority.certificate).validToDate.getTime();
  const make = (): Promise<KeyPair> =>
    createServerCertificate({ authority, addresses: addresses(), now: clock.now() });
  const first = await make();
  let served = new X509Certificate(first.certificate);
  let warnedAt = -Infinity;

  const warn = (): void => {
    const now = clock.now();
    if (now < authorityUntil - authorityWarningMs || now < warnedAt + dayMs) return;
    warnedAt = now;
    log.warning('the CA certificate of the controller expires: no client or agent can connect afterwards', {
      until: new Date(authorityUntil).toISOString(),
      see: 'docs/certificates.md',
    });
  };
  const check = async (use: (pair: KeyPair) => void): Promise<number> => {
    warn();
    const reason = renewalReason(served, { now: clock.now(), addresses: addresses(), authorityUntil });
    if (reason === undefined) return checkMs;
    const pair = await make();
    use(pair);
    served = new X509Certificate(pair.certificate);
    log.info('server certificate renewed', { why: reason, until: served.validToDate.toISOString() });
    return checkMs;
  };
  let worker: Reconciler | undefined;
  return {
    first,
    start(use) {
      worker ??= new Reconciler({
        name: 'certificate keeper',
        pass: () => check(use),
        clock,
        log,
        random,
      }).start();
    },
    async stop() {
      await worker?.stop();
    },
  };
}

/** Reason to renew the certificate; undefined while it is good. `now`, `authorityUntil`: milliseconds since 1970. */
export function renewalReason(
  served: X509Certificate,
  facts: { readonly now: number; readonly addresses: readonly string[]; readonly authorityUntil: number },
): string | undefined {
  const validFrom = served.validFromDate.getTime();
  const validUntil = served.validToDate.getTime();
  if (facts.now < validFrom) return 'the clock was set back: the certificate is not valid yet';
  // A certificate that ends with its authority cannot get a longer life.
  if (facts.now > validUntil - (validUntil - validFrom) / 3 && validUntil < facts.authorityUntil)
    return 'less than a third of its lifetime is left';
  const missing = facts.addresses.filter((one) => !names(served, one));
  return missing.length > 0 ? `the certificate does not name ${missing.join(', ')}` : undefined;
}

const names = (certificate: X509Certificate, address: string): boolean =>
  (isIP(address) ? certificate.checkIP(address) : certificate.checkHost(address)) !== undefined;
