/** The controller that a model goes to, as the one that has the model calls it (migration.md#arrival). */
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { Target } from '../../core/migration/document.ts';
import { limits } from '../../core/limits.ts';
import { timeLimit } from '../../kit/clock.ts';
import type { RequestOf, ResponseOf } from '../../wire/facade-spec.ts';
import type { modelArrivals as spec } from '../../wire/facades/model-arrivals.ts';
import { checkWays, type PeerConnection } from '../other-controllers.ts';
import type { Services } from '../services.ts';

type Spec = typeof spec;
type Method = keyof Spec['methods'];

/** Time for a connection with its login, and for an answer: the machines' host may have to be asked. */
const timeoutMs = 90_000;

type TargetNeeds = Pick<Services, 'clock' | 'elsewhere' | 'sealer'>;

/** One connection with the target, made at the first call. */
export class MigrationTarget {
  readonly #needs: TargetNeeds;
  readonly #target: Target;
  readonly #signal: AbortSignal;
  #connection: Promise<PeerConnection> | undefined;

  constructor(needs: TargetNeeds, target: Target, signal: AbortSignal) {
    this.#needs = needs;
    this.#target = target;
    this.#signal = signal;
  }

  /** Makes a call. Errors: JujuError of the answer; `try again` while the target is not reached. */
  async call<M extends Method>(method: M, params: RequestOf<Spec, M>): Promise<ResponseOf<Spec, M>> {
    const limit = timeLimit(this.#needs.clock, timeoutMs, this.#signal);
    try {
      this.#connection ??= this.#connect(limit.signal);
      const connection = await this.#connection;
      return (await connection.call('ModelArrivals', method, params, {
        signal: limit.signal,
      })) as ResponseOf<Spec, M>;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof JujuError && error.code !== 'try again') throw translated(error);
      await this.close();
      throw notReached(error);
    } finally {
      limit.done();
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.close();
  }

  #connect(signal: AbortSignal): Promise<PeerConnection> {
    const { elsewhere, sealer, clock } = this.#needs;
    const { addresses, caCert, user, secret, isMacaroons } = this.#target;
    checkWays({ addresses, caCert });
    const text = secret === undefined ? '' : sealer.open(secret);
    return elsewhere.connect({
      addresses,
      caCert,
      login: {
        tag: user,
        password: isMacaroons ? '' : text,
        ...defined({ macaroons: isMacaroons ? (JSON.parse(text) as unknown[][]) : undefined }),
      },
      signal,
      clock,
      answerMax: limits.peerAnswer.max,
    });
  }
}

/** A controller without the facade is none of grigri's, or an older one. */
function translated(error: JujuError): JujuError {
  if (error.code !== 'not implemented') return error;
  return new JujuError(
    'not supported',
    'the target controller does not take in models of grigri controllers',
  );
}

function notReached(cause: unknown): JujuError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new JujuError('try again', `the target controller: ${message}`, { cause });
}
