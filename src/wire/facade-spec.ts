/** How a facade is declared: once, in wire/facades/, for the server that serves it and the clients that call it. */
import type { z } from 'zod';

/** A facade's versions and the schemas of each of its methods. */
export interface FacadeSpec {
  readonly name: string;
  /** Ascending, as announced at login. */
  readonly versions: readonly number[];
  /** Where it is served (wire-facts §1.5). */
  readonly on: 'controller' | 'model' | 'both';
  readonly methods: Readonly<Record<string, MethodSpec>>;
}

export interface MethodSpec {
  /** Applied after decode.ts, which gives a required member that is absent or null its zero value. */
  readonly params: z.ZodType;
  /** Strict: exactly what is sent. */
  readonly result: z.ZodType;
}
