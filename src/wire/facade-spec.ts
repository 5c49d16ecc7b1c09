/**
 * Declaration of facades: each is declared once, in wire/facades/, for the server that serves it and the clients that
 * call it.
 */
import type { z } from 'zod';

/** Versions of a facade and the schemas of each of its methods. */
export interface FacadeSpec {
  readonly name: string;
  /** Versions in ascending order, as announced at login. Each has its methods, with its schemas. */
  readonly versions: readonly number[];
  /** Connections on which the facade is served (wire.md#announced-facades). */
  readonly on: 'controller' | 'model' | 'both';
  /**
   * Marks a facade that Juju does not have: announced to users only when their client asks, as Juju's clients warn of
   * each.
   */
  readonly own?: true;
  readonly methods: Readonly<Record<string, MethodSpec>>;
  /** Methods that Juju has in these versions and this controller does not, with the answer to each. */
  readonly notServed?: Readonly<Record<string, NotServed>>;
}

/** Versions of a facade that have a method: all, unless limited. */
export interface VersionRange {
  readonly since?: number;
  /** Last version with the method. */
  readonly until?: number;
}

interface NotServed extends VersionRange {
  readonly code: 'not implemented' | 'not supported';
  readonly message: string;
}

/** Answer to a method of Juju's that this controller does not have yet. */
export function notYet(feature: string, range: VersionRange = {}): NotServed {
  return { ...range, code: 'not implemented', message: `${feature} is not implemented by this controller` };
}

/** Answer, in Juju's words, to a method that makes no sense for this controller. */
export function notSupported(feature: string): NotServed {
  return { code: 'not supported', message: `${feature} not supported` };
}

export interface Schemas {
  /**
   * Schema of the parameters, applied after decode.ts, which gives required members that are absent or null their zero
   * values.
   */
  readonly params: z.ZodType;
  /** Strict schema of the result: exactly what is sent. */
  readonly result: z.ZodType;
}

/** Method of a facade; its own schemas are those of the newest version. */
export interface MethodSpec extends VersionRange, Schemas {
  /** Schemas that differed in the version `until` and those before it; ascending. */
  readonly older?: readonly (Partial<Schemas> & { readonly until: number })[];
}

export function hasVersion({ since = 0, until = Infinity }: VersionRange, version: number): boolean {
  return since <= version && version <= until;
}

/** Schemas of the method in that version. */
export function schemasAt({ params, result, older = [] }: MethodSpec, version: number): Schemas {
  return { params, result, ...older.find(({ until }) => version <= until) };
}

type Newest<S extends FacadeSpec, M extends keyof S['methods'], P extends keyof Schemas> = S['methods'][M][P];
type Older<
  S extends FacadeSpec,
  M extends keyof S['methods'],
  P extends keyof Schemas,
> = S['methods'][M] extends { readonly older: readonly (infer O)[] }
  ? O extends Readonly<Record<P, infer Z extends z.ZodType>>
    ? Z
    : never
  : never;

/** Parameters of the method's function: those of the newest version, which can express all older ones. */
export type ParamsOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<Newest<S, M, 'params'>>;
/** Request that a client sends, in the newest version. */
export type RequestOf<S extends FacadeSpec, M extends keyof S['methods']> = z.input<Newest<S, M, 'params'>>;
/** Response that a client reads, in the newest version. */
export type ResponseOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<Newest<S, M, 'result'>>;
/** Requests and responses by method, in the newest version. */
export type MethodsOf<S extends FacadeSpec> = {
  readonly [M in keyof S['methods']]: { params: RequestOf<S, M>; result: ResponseOf<S, M> };
};
/** Parameters of a request in any version. */
export type AnyParamsOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<
  Newest<S, M, 'params'> | Older<S, M, 'params'>
>;
/** Possible result in any version. */
export type ResultOf<S extends FacadeSpec, M extends keyof S['methods']> = z.input<
  Newest<S, M, 'result'> | Older<S, M, 'result'>
>;
