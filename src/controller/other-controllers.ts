/** How this controller reaches others: given by main, as all sockets are (offers.md#over-the-wire). */
import { JujuError } from '../core/errors.ts';
import type { Clock } from '../kit/clock.ts';

/** Connection with a model of another controller. */
export interface PeerConnection {
  /** Makes one call. Errors: JujuError with the wire's code, or `try again` when the connection is lost. */
  call(
    facade: string,
    method: string,
    params: unknown,
    options: { readonly id?: string; readonly signal?: AbortSignal },
  ): Promise<unknown>;
  /** Promise that resolves with the reason when the connection is gone. */
  readonly closed: Promise<Error>;
  close(): Promise<void>;
}

export interface PeerTarget {
  /** Addresses as `host:port`, tried in order. */
  readonly addresses: readonly string[];
  readonly caCert: string;
  readonly modelUuid: string;
  readonly login: { readonly tag: string; readonly password: string };
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Maximum size of an answer in bytes. */
  readonly answerMax: number;
}

export interface OtherControllers {
  /** Connects and logs in. Errors: JujuError of the login; `try again` when no address answers. */
  connect(target: PeerTarget): Promise<PeerConnection>;
  /** Gets the discharges of a macaroon, without any interaction. Errors: JujuError of the answer. */
  discharge(options: {
    readonly macaroon: unknown;
    readonly caCert: string;
    readonly signal: AbortSignal;
  }): Promise<readonly unknown[]>;
}

const none = (): Promise<never> =>
  Promise.reject(new JujuError('try again', 'no other controller can be reached from here'));

/** For a controller that reaches no other. */
export const noControllers: OtherControllers = { connect: none, discharge: none };
