import { RE2JS } from 're2js';
import { notValid } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { patternSize } from './pattern-size.ts';

/** Steps of a compilation, and as many for each part of the pattern. */
const compileSteps = { each: 300, part: 50 };

/**
 * The cost of schemas and of values that are checked by them, in steps of at most half a microsecond. One SchemaWork
 * counts all the work of a request, so that no request holds up the others. Patterns are those of RE2, Go's syntax,
 * which match in time that is linear in the length of the text.
 */
export class SchemaWork {
  readonly #patterns = new Map<string, RE2JS>();
  #steps = 0;

  /** Counts steps. Errors: JujuError `quota limit exceeded`. */
  spend(steps: number): void {
    this.#steps += Math.ceil(steps);
    checkLimit(limits.schemaSteps, this.#steps);
  }

  /** Compiles a pattern. Errors: JujuError `not valid` for syntax that RE2 does not know; `quota limit exceeded`. */
  compile(pattern: string): RE2JS {
    const cached = this.#patterns.get(pattern);
    if (cached) return cached;
    checkLimit(limits.patternSize, pattern.length);
    const size = patternSize(pattern);
    checkLimit(limits.patternSize, size);
    this.spend(compileSteps.each + size * compileSteps.part);
    try {
      const compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
      return compiled;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw notValid(`invalid pattern ${JSON.stringify(pattern)}: ${why}`, cause);
    }
  }

  /** Whether the text matches the pattern. Errors: as compile. */
  matches(pattern: string, text: string): boolean {
    const compiled = this.compile(pattern);
    this.spend(compiled.programSize() * (text.length + 1));
    return compiled.test(text);
  }
}
