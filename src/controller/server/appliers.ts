/**
 * Who applies a model file to which model. A model is held by one connection, until that ends or says so; connections
 * to the controller, where offers and access are made, join it (model-files.md#one-applier). Nothing of this outlives
 * the process, as no connection does.
 */
import { JujuError } from '../../core/errors.ts';
import { bundleRecord } from '../../core/model-file/document.ts';
import type { ConnectionApplier, Hold } from '../facade.ts';

export class Appliers {
  readonly #holds = new Map<string, Hold>();

  of(model: string): Hold | undefined {
    return this.#holds.get(model);
  }

  /** Holds the model. Errors: '' when it is held already, with by whom, since when and from where. */
  begin(hold: Hold): void {
    const other = this.#holds.get(hold.model);
    if (other)
      throw new JujuError(
        '',
        `model is being ${doing(other)} by ${other.user} from ${other.from} since ${other.since}`,
      );
    this.#holds.set(hold.model, hold);
  }

  end(hold: Hold): void {
    if (this.#holds.get(hold.model) === hold) this.#holds.delete(hold.model);
  }
}

function doing({ file, revertTo }: Hold): string {
  if (revertTo !== undefined) return `reverted to revision ${revertTo}`;
  return file === bundleRecord ? 'changed by the deploy of a bundle' : `applied from file "${file}"`;
}

export class ApplierOfConnection implements ConnectionApplier {
  readonly from: string;
  readonly #appliers: Appliers;
  #own: Hold | undefined;
  #joined: Hold | undefined;
  #closed = false;

  constructor(appliers: Appliers, from: string) {
    this.#appliers = appliers;
    // An address of IPv4 as a socket for both kinds has it.
    this.from = from.replace(/^::ffff:/, '');
  }

  get current(): Hold | undefined {
    const hold = this.#own ?? this.#joined;
    return hold && this.#appliers.of(hold.model) === hold ? hold : undefined;
  }

  holderOf(model: string): Hold | undefined {
    return this.#appliers.of(model);
  }

  begin(hold: Hold): void {
    if (this.#closed) throw new JujuError('stopped', 'connection has ended');
    this.#appliers.begin(hold);
    this.#own = hold;
  }

  join({ model, user }: Pick<Hold, 'model' | 'user'>): void {
    const hold = this.#appliers.of(model);
    if (hold?.user !== user) throw new JujuError('not found', `no apply by ${user} to join`);
    this.#joined = hold;
  }

  end(): void {
    if (this.#own) this.#appliers.end(this.#own);
    this.#own = undefined;
  }

  /** Ends what the connection holds, and lets it hold nothing more. */
  close(): void {
    this.#closed = true;
    this.end();
  }
}
