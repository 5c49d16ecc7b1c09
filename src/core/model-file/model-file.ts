/**
 * A model as a file, after parsing (parse-model-file.ts): a bundle, and what belongs to the model and not to one of its
 * applications. What the file does not name is not its matter, unless this file once made it (owned.ts).
 */
import type { LevelOf } from '../access/levels.ts';
import type { Bundle } from '../bundle/bundle.ts';
import type { Constraints } from '../constraints.ts';
import type { ModelConfigValue } from '../model/config.ts';

export interface ModelFile {
  readonly bundle: Bundle;
  /** Principal applications whose number of units the file leaves to others, as it does not say any. */
  readonly unscaled: ReadonlySet<string>;
  /** Values of the model's configuration. */
  readonly settings: Readonly<Record<string, ModelConfigValue>>;
  /** The model's constraints; absent = not the file's matter. */
  readonly constraints?: Constraints;
  /** User → access to the model. */
  readonly access: Readonly<Record<string, LevelOf<'model'>>>;
  /** Users' secrets by name. */
  readonly secrets: Readonly<Record<string, FileSecret>>;
  /** Storage pools by name. */
  readonly storagePools: Readonly<Record<string, FilePool>>;
}

export interface FileSecret {
  readonly description: string;
  /** Key → where the value comes from; absent = the content is not the file's matter. */
  readonly content?: Readonly<Record<string, SecretSource>>;
  /** Applications that may read the secret. */
  readonly grants: readonly string[];
}

/** Where the value of a secret's key comes from: the file never has the value itself. */
export type SecretSource = { readonly env: string } | { readonly file: string };

export interface FilePool {
  readonly provider: string;
  readonly attributes: Readonly<Record<string, string>>;
}
