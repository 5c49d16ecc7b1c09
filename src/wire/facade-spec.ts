/** How a facade is declared: once, in wire/facades/, for the server that serves it and the clients that call it. */
import type { z } from 'zod';

/** A facade's versions and the schemas of each of its methods. */
export interface FacadeSpec {
  readonly name: string;
  /** Ascending, as announced at login. */
  readonly versions: readonly number[];
  /** The connections on which it is served (wire.md#announced-facades). */
  readonly on: 'controller' | 'model' | 'both';
  /** Not one of Juju's: announced to users only when their client asks for such, as Juju's clients warn of each. */
  readonly own?: true;
  readonly methods: Readonly<Record<string, MethodSpec>>;
  /** What Juju has in these versions and we do not: how such a request is answered. */
  readonly notServed?: Readonly<Record<string, NotServed>>;
}

export interface NotServed {
  readonly code: 'not implemented' | 'not supported';
  readonly message: string;
}

/** The answer to a method of Juju's that this controller does not have yet. */
export function notYet(what: string): NotServed {
  return { code: 'not implemented', message: `${what} is not implemented by this controller` };
}

/** The answer, in Juju's words, to a method that makes no sense for this controller. */
export function notSupported(what: string): NotServed {
  return { code: 'not supported', message: `${what} not supported` };
}

export interface MethodSpec {
  /** Applied after decode.ts, which gives a required member that is absent or null its zero value. */
  readonly params: z.ZodType;
  /** Strict: exactly what is sent. */
  readonly result: z.ZodType;
}
