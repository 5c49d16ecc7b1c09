import type { Operator } from '../operate/operator.ts';
import type { WaitEvent } from '../operate/wait/poll.ts';
import type { CommandContext } from './context.ts';

/** A line that stays the same is repeated after this, so that one sees it goes on. */
const repeatMs = 10_000;

/** For operations that wait: `line` says what they wait for, which is shown whenever it changes. */
export function waitingOperator<S>(
  context: CommandContext,
  line: (state: S) => string,
): Operator<WaitEvent<S>> {
  const { clock } = context.io;
  let shown: string | undefined;
  let shownAt = 0;
  return context.operator<WaitEvent<S>>(({ state }) => {
    const text = line(state);
    if (text === shown && clock.now() - shownAt < repeatMs) return;
    context.info(text);
    shown = text;
    shownAt = clock.now();
  });
}
