/** Replaces the tokens of secret backends as often as their records say (secrets.md#token-rotation). */
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import type { SecretBackendDoc } from '../../core/secret-backend/document.ts';
import { nextRotation } from '../../core/secret-backend/rotation.ts';
import type { Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { replaceToken } from '../transactions/shared/secret-backends.ts';

const by = 'token-rotator';
/** Time until a token that could not be replaced is tried again. */
const retryMs = 300_000;
/** Longest sleep: a change of the clock is noticed after it. */
const sleepMaxMs = 3_600_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'log' | 'secretBackends'>;
  readonly wake: () => void;
}

export class TokenRotator {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.token-rotator');
    this.stop = needs.services.dispatch.on('', 'secret-backend', needs.wake);
  }

  /** Replaces tokens that are due. Returns milliseconds until the next replacement. */
  async pass(): Promise<number | undefined> {
    const { store, services } = this.#needs;
    let sleep: number | undefined;
    const timed = [...store.read().find('secret-backend', 'timed', 'timed')];
    for (const doc of timed) {
      const wait = Date.parse(doc.nextTokenRotate!) - services.clock.now();
      const next = wait > 0 ? wait : await this.#replace(doc);
      sleep = Math.min(sleep ?? sleepMaxMs, next);
    }
    return sleep;
  }

  /**
   * Replaces a token: the new one is stored before the old one, if the controller made it, is revoked. Returns the next
   * wait.
   */
  async #replace(doc: SecretBackendDoc): Promise<number> {
    const { store, services } = this.#needs;
    const interval = doc.tokenRotate!;
    try {
      const old = services.secretBackends.open(doc);
      const { token, validMs } = await old.newToken(2 * interval);
      const nextMs = nextRotation(interval, validMs);
      const sealed = services.secretBackends.sealConfig({ token });
      const isStored = await store.change(
        (tx) => replaceToken(tx.in(''), doc, { token: sealed['token']!, nextMs }),
        by,
      );
      const unused = isStored
        ? doc.ownToken
          ? old
          : undefined
        : services.secretBackends.open({ ...doc, config: { ...doc.config, ...sealed } });
      await unused?.revokeOwnToken().catch((error: unknown) =>
        this.#log.warning('a token of a secret backend could not be revoked', {
          backend: doc.name,
          error: (error as Error).message,
        }),
      );
      this.#log.info('token of a secret backend replaced', { backend: doc.name });
      return nextMs;
    } catch (error) {
      this.#log.warning(
        'token of a secret backend cannot be replaced now',
        defined({ backend: doc.name, error: (error as Error).message }),
      );
      return retryMs;
    }
  }
}
