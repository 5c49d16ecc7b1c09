import { JujuError } from './errors.ts';

/** A placeholder for a long past value that is no longer stored, as the history keeps only the newest ones. */
export class ValueGone extends JujuError {
  /** SHA-256 of the value's JSON, in hex, and its length in bytes. */
  readonly hash: string;
  readonly size: number;

  constructor({ hash, size }: { readonly hash: string; readonly size: number }) {
    super('not found', `a value of ${size} bytes (sha256 ${hash}) is no longer kept`);
    this.hash = hash;
    this.size = size;
  }
}
