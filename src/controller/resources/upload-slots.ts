import { checkLimit, limits } from '../../core/limits.ts';

/** Uploads of resources that are received now. */
export class UploadSlots {
  /** Users, one entry for each upload. */
  readonly #users: string[] = [];

  /** Begins an upload; the returned function ends it. Errors: `quota limit exceeded`. */
  take(user: string): () => void {
    const ofUser = this.#users.filter((name) => name === user).length;
    checkLimit(limits.resourceUploadsOfUser, ofUser + 1);
    checkLimit(limits.resourceUploads, this.#users.length + 1);
    this.#users.push(user);
    return () => void this.#users.splice(this.#users.indexOf(user), 1);
  }
}
