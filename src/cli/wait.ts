import type { Operator } from '../operate/operator.ts';
import type { Unreachable } from '../operate/wait/over-losses.ts';
import type { WaitEvent } from '../operate/wait/poll.ts';
import type { CommandContext } from './context.ts';

/** Time in milliseconds after which an unchanged line is repeated, to show that the wait goes on. */
const repeatMs = 10_000;

/**
 * Makes a context for operations that wait. `line` describes the awaited condition, and is printed whenever it changes.
 */
export function waitingOperator<S extends object>(
  context: CommandContext,
  line: (state: S) => string,
): Operator<WaitEvent<S | Unreachable>> {
  const { clock } = context.io;
  let shown: string | undefined;
  let shownAt = 0;
  return context.operator<WaitEvent<S | Unreachable>>(({ state }) => {
    const text =
      'unreachable' in state ? `Waiting for the controller to answer: ${state.unreachable}` : line(state);
    if (text === shown && clock.now() - shownAt < repeatMs) return;
    context.info(text);
    shown = text;
    shownAt = clock.now();
  });
}
