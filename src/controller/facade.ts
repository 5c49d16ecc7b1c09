/** Types of facades: a facade is a table that names the access each method needs (login.md#access-is-fresh). */
import type { BlockedOperation } from '../core/block/blocks.ts';
import type { Entities } from '../core/kinds.ts';
import type { Applier } from '../core/model-file/ownership.ts';
import type { Reader, Store } from '../store/store.ts';
import type { AnyParamsOf, FacadeSpec, MethodSpec, ParamsOf, ResultOf } from '../wire/facade-spec.ts';
import type { OfferMacaroons } from './macaroons/offer-macaroons.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Services } from './services.ts';

export type { FacadeSpec, MethodSpec, ParamsOf, ResultOf };

/**
 * Access that the caller needs. `login` = any logged-in user; `model-*` on the connection's model; `superuser` on the
 * controller; `agent` = a machine agent; `anonymous` = another controller; `anyone` = all of these, after their login.
 */
export type Needs =
  | 'anyone'
  | 'login'
  | 'model-read'
  | 'model-write'
  | 'model-admin'
  | 'superuser'
  | 'agent'
  | 'anonymous';

/**
 * Operation of a method on its model, for the blocks of the model's admins (blocks.md#one-place); `never` = no block
 * stops it. On a controller connection the blocks of the controller's own model count.
 */
type Blockable<P> = BlockedOperation | 'never' | ((params: P) => BlockedOperation | 'never');

export type Method<P, R> = {
  readonly run: (call: Call, params: P) => R | Promise<R>;
} & (
  | { readonly needs: 'model-write' | 'model-admin'; readonly blockable: Blockable<P> }
  | { readonly needs: Exclude<Needs, 'model-write' | 'model-admin'>; readonly blockable?: Blockable<P> }
);

/**
 * Table of a facade's methods: a missing method, an extra one, a wrong type, no declared access, or a write that does
 * not say which blocks stop it does not compile.
 */
export type FacadeTable<S extends FacadeSpec> = {
  readonly [M in keyof S['methods']]: Method<AnyParamsOf<S, M>, ResultOf<S, M>>;
};

/** Another controller, which shows with each request what allows it (offers.md#between-controllers). */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** Authenticated caller of a method. */
export type Caller =
  | Anonymous
  | {
      readonly kind: 'user';
      readonly name: string;
      readonly controllerAccess: 'login' | 'superuser';
      /** Time at which the user's record was made: somebody else may have the name later. */
      readonly since: string;
    }
  | {
      readonly kind: 'machine';
      readonly machine: string;
      /** Nonce of the instance that the agent runs on. */
      readonly nonce?: string;
    };

/** Everything that a method may use about one request. */
export interface Call {
  readonly caller: Caller;
  /** Tag of the caller, for `by` of a change. */
  readonly by: string;
  /** UUID of the connection's model; '' on a controller connection. */
  readonly modelUuid: string;
  readonly facade: string;
  readonly version: number;
  /** `host:port` that the client has dialled. */
  readonly host: string;
  /** Id of the watcher, when the facade has one. */
  readonly id: string;
  readonly store: Store<Entities>;
  /** Returns the newest state, in the connection's model (or the controller's space). */
  read(): Reader<Entities>;
  readonly services: Services;
  readonly passwords: PasswordCheck;
  readonly offerMacaroons: OfferMacaroons;
  readonly connection: ConnectionResources;
}

/** Resources that live as long as their connection: watchers by id, and the apply of a model file. */
export interface ConnectionResources {
  /**
   * Keeps a watcher; `relation`: key of the relation that another controller watches. Returns its id. Errors:
   * `stopped`, `quota limit exceeded`.
   */
  register(watcher: Watcher, relation?: string): string;
  /** Returns a watcher. Errors: JujuError `not found` "unknown watcher id". */
  get(id: string): Watcher;
  remove(id: string): void;
  readonly applier: ConnectionApplier;
}

/** A model that a connection holds to apply a file to it, to return it to a revision, or to deploy a bundle. */
export interface Hold extends Applier {
  /** The revision that the model is returned to. */
  readonly revertTo?: number;
  /** RFC 3339. */
  readonly since: string;
  /** Address of the client. */
  readonly from: string;
}

/** The apply that a connection carries out, if any. */
export interface ConnectionApplier {
  /** Address of the connection's other side. */
  readonly from: string;
  /** The apply that the connection's changes are part of. */
  readonly current: Hold | undefined;
  /** Who holds the model, by whichever connection. */
  holderOf(model: string): Hold | undefined;
  /** Holds the model until `end`. Errors: '' when it is held, with by whom; `stopped` when the connection has ended. */
  begin(hold: Hold): void;
  /** Makes the connection's changes part of the user's apply to the model. Errors: `not found` without one. */
  join(of: Pick<Hold, 'model' | 'user'>): void;
  end(): void;
}

/** Long poll: `next` waits for news; `stop` makes a waiting next reject with code `stopped`. */
export interface Watcher {
  next(): Promise<unknown>;
  stop(): void;
}
