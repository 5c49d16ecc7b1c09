import { setFlagsFromString } from 'node:v8';

/** Calls after which a function is compiled for speed, if the kinds of its values have not changed for as many. */
const calls = 60;

/**
 * Makes V8 compile functions for speed early: by default it waits for 400 calls and 500 without news, as for a web page
 * that may be closed soon, so the first 500 requests of each kind take twice as long. Half as many calls make the very
 * first requests slower, for they wait for the compiler.
 */
export function compileEarly(): void {
  setFlagsFromString(`--invocation-count-for-maglev=${calls}`);
  setFlagsFromString(`--minimum-invocations-after-ic-update=${calls}`);
}
