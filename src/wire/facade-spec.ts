/** How a facade is declared: once, in wire/facades/, for the server that serves it and the clients that call it. */
import type { z } from 'zod';

/** A facade's versions and the schemas of each of its methods. */
export interface FacadeSpec {
  readonly name: string;
  /** Ascending, as announced at login. Each has its methods, with its schemas. */
  readonly versions: readonly number[];
  /** The connections on which it is served (wire.md#announced-facades). */
  readonly on: 'controller' | 'model' | 'both';
  /** Not one of Juju's: announced to users only when their client asks for such, as Juju's clients warn of each. */
  readonly own?: true;
  readonly methods: Readonly<Record<string, MethodSpec>>;
  /** What Juju has in these versions and we do not: how such a request is answered. */
  readonly notServed?: Readonly<Record<string, NotServed>>;
}

/** The versions of a facade that have a method: all, unless limited. */
export interface VersionRange {
  readonly since?: number;
  /** The last version. */
  readonly until?: number;
}

export interface NotServed extends VersionRange {
  readonly code: 'not implemented' | 'not supported';
  readonly message: string;
}

/** The answer to a method of Juju's that this controller does not have yet. */
export function notYet(what: string, range: VersionRange = {}): NotServed {
  return { ...range, code: 'not implemented', message: `${what} is not implemented by this controller` };
}

/** The answer, in Juju's words, to a method that makes no sense for this controller. */
export function notSupported(what: string): NotServed {
  return { code: 'not supported', message: `${what} not supported` };
}

export interface Schemas {
  /** Applied after decode.ts, which gives a required member that is absent or null its zero value. */
  readonly params: z.ZodType;
  /** Strict: exactly what is sent. */
  readonly result: z.ZodType;
}

/** The schemas are those of the newest version. */
export interface MethodSpec extends VersionRange, Schemas {
  /** What was different in the version `until` and those before it; ascending. */
  readonly older?: readonly (Partial<Schemas> & { readonly until: number })[];
}

export function hasVersion({ since = 0, until = Infinity }: VersionRange, version: number): boolean {
  return since <= version && version <= until;
}

/** The schemas that the method has in that version. */
export function schemasAt({ params, result, older = [] }: MethodSpec, version: number): Schemas {
  return { params, result, ...older.find(({ until }) => version <= until) };
}

/** The announced versions that have the method. */
export function versionsOf(spec: FacadeSpec, method: string): readonly number[] {
  return spec.versions.filter((version) => hasVersion(spec.methods[method]!, version));
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

/** What the method's function is given: of the newest version, which can say all that older ones do. */
export type ParamsOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<Newest<S, M, 'params'>>;
/** What a client sends, in the newest version. */
export type RequestOf<S extends FacadeSpec, M extends keyof S['methods']> = z.input<Newest<S, M, 'params'>>;
/** What a client reads, in the newest version. */
export type ResponseOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<Newest<S, M, 'result'>>;
/** Method → what a client sends and reads, in the newest version. */
export type MethodsOf<S extends FacadeSpec> = {
  readonly [M in keyof S['methods']]: { params: RequestOf<S, M>; result: ResponseOf<S, M> };
};
/** What is read of a request, in any version. */
export type AnyParamsOf<S extends FacadeSpec, M extends keyof S['methods']> = z.output<
  Newest<S, M, 'params'> | Older<S, M, 'params'>
>;
/** What may be answered, in one version or another. */
export type ResultOf<S extends FacadeSpec, M extends keyof S['methods']> = z.input<
  Newest<S, M, 'result'> | Older<S, M, 'result'>
>;
