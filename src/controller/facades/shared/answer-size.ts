import { checkLimit, limits } from '../../../core/limits.ts';

/** Size of an answer whose parts a request may name as often as it likes. */
export class AnswerSize {
  #entries = 0;

  /** Counts entries before they are made. Errors: `quota limit exceeded`. */
  add(entries: number): void {
    checkLimit(limits.answerEntries, this.#entries + entries);
    this.#entries += entries;
  }
}
