import { jsonLength } from '../../../core/json-bytes.ts';
import { checkLimit, limits } from '../../../core/limits.ts';

/** Size of an answer whose parts a request may name as often as it likes. */
export class AnswerSize {
  #entries = 0;
  #characters = 0;

  /** Counts entries before they are made. Errors: `quota limit exceeded`. */
  add(entries: number): void {
    checkLimit(limits.answerEntries, this.#entries + entries);
    this.#entries += entries;
  }

  /** Checks, before a part is made, that the answer has room. Errors: `quota limit exceeded`. */
  checkRoom(): void {
    checkLimit(limits.answer, this.#characters);
  }

  /** Counts a part. */
  count(value: unknown): void {
    this.#characters += jsonLength(value, limits.answer.max);
  }
}
