/**
 * Connection with another controller, or a model of it (offers.md#over-the-wire): made when it is first needed, and
 * again, later each time, while it is lost. Meanwhile calls fail at once, so nobody waits for a silent controller.
 */
import { JujuError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import { waysTo } from '../../core/external-controller/ways.ts';
import { limits } from '../../core/limits.ts';
import { unreachable } from '../../core/remote-application/trouble.ts';
import { timeLimit } from '../../kit/clock.ts';
import { onAbort } from '../../kit/on-abort.ts';
import { backoffMs } from '../../kit/retry.ts';
import type { PeerConnection } from '../other-controllers.ts';
import type { Services } from '../services.ts';

/** Time for a connection with its login, and for an answer. */
const timeoutMs = 10_000;
const backoff = { firstMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 };

interface PeerNeeds {
  readonly services: Pick<Services, 'clock' | 'random' | 'elsewhere'>;
  /** UUID of the model there; absent: the controller itself. */
  readonly model?: string;
  /** The controller, as it is known now; undefined: it was forgotten. */
  readonly controller: () => ExternalControllerDoc | undefined;
  /** Called when the connection is there again after it was not. */
  readonly onReturn: () => void;
  /** Follows a model whose controller says in the error where it is now; false when the error does not say that. */
  readonly follow?: (error: unknown) => Promise<boolean>;
}

export class Peer {
  readonly #needs: PeerNeeds;
  readonly #ended = new AbortController();
  #connection: Promise<PeerConnection> | undefined;
  /** Takes the present connection for lost. */
  #giveUp: (reason: Error) => void = () => undefined;

  constructor(needs: PeerNeeds) {
    this.#needs = needs;
  }

  /**
   * Makes a call as anonymous user. Errors: JujuError of the answer; `try again` with the reason while the controller
   * is not reached; `not found` for a model that is gone. `patient`: waits for news as long as the connection lives.
   */
  async call(
    facade: string,
    method: string,
    params: unknown,
    { id = '', patient = false }: { readonly id?: string; readonly patient?: boolean } = {},
  ): Promise<unknown> {
    const connection = await this.#opened();
    if (patient) return connection.call(facade, method, params, { id });
    const limit = timeLimit(this.#needs.services.clock, timeoutMs, this.#ended.signal);
    try {
      return await connection.call(facade, method, params, { id, signal: limit.signal });
    } catch (error) {
      if (error instanceof JujuError) throw error;
      // A silent connection is taken for lost, so that the next call does not wait for it, too.
      this.#giveUp(error as Error);
      throw notReached(error);
    } finally {
      limit.done();
    }
  }

  /** Gets the discharges of a macaroon. Errors: `try again` while nobody answers; those of the answer. */
  async discharge(macaroon: unknown): Promise<readonly unknown[]> {
    const { services, controller } = this.#needs;
    const known = controller();
    const limit = timeLimit(services.clock, timeoutMs, this.#ended.signal);
    try {
      return await services.elsewhere.discharge({
        macaroon,
        caCert: known ? waysTo(known).caCert : '',
        signal: limit.signal,
      });
    } catch (error) {
      throw error instanceof JujuError ? error : notReached(error);
    } finally {
      limit.done();
    }
  }

  stop(): void {
    this.#ended.abort(new Error('the relations with this model are carried no more'));
  }

  #opened(): Promise<PeerConnection> {
    if (this.#ended.signal.aborted) return Promise.reject(notReached(this.#ended.signal.reason));
    if (!this.#connection) {
      const first = Promise.withResolvers<PeerConnection>();
      first.promise.catch(() => undefined);
      this.#connection = first.promise;
      void this.#keepOpen(first);
    }
    return this.#connection;
  }

  async #keepOpen(first: PromiseWithResolvers<PeerConnection>): Promise<void> {
    const { signal } = this.#ended;
    const { clock, random } = this.#needs.services;
    for (let failures = 0, waitedMs = 0, attempts = 0; !signal.aborted; attempts++) {
      let reason: unknown;
      try {
        const connection = await this.#connect(failures);
        const since = clock.now();
        this.#connection = Promise.resolve(connection);
        if (attempts === 0) first.resolve(connection);
        else this.#needs.onReturn();
        reason = await this.#endOf(connection);
        // A controller that accepts a connection and then ends it counts like one that does not answer.
        if (clock.now() - since > waitedMs) failures = 0;
      } catch (error) {
        reason = error;
      }
      const refused = Promise.reject<PeerConnection>(notReached(reason));
      refused.catch(() => undefined);
      this.#connection = refused;
      first.reject(notReached(reason));
      waitedMs = backoffMs(backoff, failures++, random);
      await clock.sleep(waitedMs, signal).catch(() => undefined);
    }
  }

  /** Waits for the end of a connection. Returns the reason. */
  async #endOf(connection: PeerConnection): Promise<Error> {
    const givenUp = Promise.withResolvers<Error>();
    this.#giveUp = givenUp.resolve;
    const { signal } = this.#ended;
    const forget = signal.aborted
      ? undefined
      : onAbort(signal, () => givenUp.resolve(signal.reason as Error));
    if (!forget) givenUp.resolve(signal.reason as Error);
    const reason = await Promise.race([connection.closed, givenUp.promise]);
    forget?.();
    void connection.close();
    return reason;
  }

  /** Connects; after each failure another address comes first, because a silent address takes all the time. */
  async #connect(failures: number): Promise<PeerConnection> {
    const { services, model, controller } = this.#needs;
    const known = controller();
    if (!known)
      throw new JujuError('not found', 'the controller of the offer is no longer known to this one');
    const { addresses, caCert } = waysTo(known);
    const at = failures % addresses.length;
    const limit = timeLimit(services.clock, timeoutMs, this.#ended.signal);
    try {
      return await services.elsewhere.connect({
        addresses: [...addresses.slice(at), ...addresses.slice(0, at)],
        caCert,
        ...defined({ modelUuid: model }),
        login: { tag: 'user-jujuanonymous', password: '' },
        signal: limit.signal,
        clock: services.clock,
        answerMax: limits.peerAnswer.max,
      });
    } catch (error) {
      if (await this.#needs.follow?.(error))
        throw new JujuError('try again', 'the model has gone to another controller', { cause: error });
      throw error;
    } finally {
      limit.done();
    }
  }
}

/** The error of a call to a controller that is not reached; an error that reports a missing model stays as it is. */
function notReached(reason: unknown): JujuError {
  const { code, message } = reason instanceof JujuError ? reason : { code: '', message: reasonOf(reason) };
  if (code === 'model not found') return new JujuError('not found', message);
  return new JujuError('try again', `${unreachable}: ${message}`, { cause: reason });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
