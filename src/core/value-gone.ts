import { JujuError } from './errors.ts';

/** A long value of the past of which only this is known: the history keeps the newest ones. */
export class ValueGone extends JujuError {
  /** SHA-256 of its JSON, in hex; its length in bytes. */
  readonly hash: string;
  readonly size: number;

  constructor({ hash, size }: { readonly hash: string; readonly size: number }) {
    super('not found', `a value of ${size} bytes (sha256 ${hash}) is no longer kept`);
    this.hash = hash;
    this.size = size;
  }
}
