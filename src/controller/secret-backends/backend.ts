/** Holders of secrets' contents: the controller's own file, or a server elsewhere (secrets.md#backends). */
import type { SecretContent } from '../../core/secret/content.ts';

/** Maximum number of concurrent requests of one caller to a server elsewhere. */
export const requestsAtOnce = 32;
/** Maximum time of a server for all that one caller asks for (secrets.md#backend-slow). */
export const wholeMs = 300_000;

/** A content to be stored. `key`: as joinContentKey makes it; the same key always has the same content. */
export interface NewContent {
  readonly key: string;
  readonly content: SecretContent;
}

/**
 * The contract of all backends; src/testing/secret-backend.ts tests it. Errors of each: JujuError with
 * the backend's name, whose message says what is wrong with it, never what was to be stored.
 */
export interface SecretBackend {
  /** Stores contents, durably at the return. After an error some may be stored. */
  put(contents: readonly NewContent[]): Promise<void>;
  /** Reads a content; undefined when it is not there. `signal`: ends it with an error. */
  get(key: string, signal?: AbortSignal): Promise<SecretContent | undefined>;
  /** Erases contents for good; keys that are not there are ignored. */
  erase(keys: readonly string[]): Promise<void>;
  /** UUIDs of the models that have contents, or had some, in this backend. */
  models(): Promise<readonly string[]>;
  /** The keys of a model's contents. */
  keys(model: string): Promise<readonly string[]>;
  /** Erases all contents of a model that is gone. */
  forget(model: string): Promise<void>;
  /** Makes sure that the backend is there and lets this controller in. */
  check(): Promise<void>;
}
