/** Access to other controllers: given by main, as all sockets are (offers.md#over-the-wire). */
import { X509Certificate } from 'node:crypto';
import { JujuError } from '../core/errors.ts';
import type { Ways } from '../core/external-controller/ways.ts';
import { checkLimit, limits } from '../core/limits.ts';
import { isControllerName } from '../core/names.ts';
import type { Clock } from '../kit/clock.ts';

/** Connection with another controller, or with a model of it. */
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

interface PeerTarget extends Ways {
  /** Model to connect to; absent: the controller itself. */
  readonly modelUuid?: string;
  readonly login: {
    readonly tag: string;
    readonly password: string;
    /** Macaroons with their discharges, in place of the password. */
    readonly macaroons?: readonly (readonly unknown[])[];
  };
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

/** OtherControllers of a controller that reaches no other. */
export const noControllers: OtherControllers = { connect: none, discharge: none };

/**
 * Checks the stated addresses and CA certificate of another controller. Errors: `not valid`; `quota limit exceeded`.
 */
export function checkWays({ addresses, caCert }: Ways): void {
  checkLimit(limits.controllerAddresses, addresses.length);
  for (const address of addresses) {
    checkLimit(limits.controllerAddress, address.length);
    if (!isAddress(address))
      throw new JujuError('not valid', `address "${address}" of a controller is not HOST:PORT`);
  }
  if (addresses.length === 0)
    throw new JujuError('not valid', 'another controller is reached by an address, and none is given');
  checkLimit(limits.caCertificate, caCert.length);
  if (!isCertificate(caCert))
    throw new JujuError('not valid', 'the CA certificate of the other controller is no certificate in PEM');
}

/** Checks a stated name of another controller; '' = unknown. Errors: `not valid`; `quota limit exceeded`. */
export function checkAlias(alias: string): void {
  checkLimit(limits.recordId, alias.length, 'name of a controller');
  if (alias !== '' && !isControllerName(alias))
    throw new JujuError('not valid', `"${alias}" is not a valid controller name`);
}

/** Whether the text is `host:port`. */
export function isAddress(text: string): boolean {
  const [, host = '', port = ''] = /^([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/.exec(text) ?? [];
  return host !== '' && Number(port) > 0 && Number(port) < 65_536;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
