/** What a machine keeps of a unit's state, for a controller that is restored from an older backup. */
import { expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import { stateKeeper, type KeptState } from './kept-state.ts';

const state = (committed: number): KeptState => ({
  agentState: { committed },
  charmState: {},
  workload: { status: 'active', message: '' },
});

/** Keeper of states on a machine whose writes end when they are told to. */
function machine() {
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const saveState = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      begun.push(text);
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  return { begun, ends, keep: stateKeeper({ saveState }, silentLog) };
}

test('a state that the machine could not keep is kept with the next save, and one that it has is not written again', async () => {
  const { begun, ends, keep } = machine();
  for (const error of [new Error('no room'), undefined]) {
    const kept = keep(state(1));
    await Promise.resolve();
    ends.at(-1)!(error);
    await kept;
  }
  await keep(state(1));
  expect(begun).toEqual([JSON.stringify(state(1)), JSON.stringify(state(1))]);
});

test('a state is written when the earlier one has been, so that none replaces a newer one', async () => {
  const { begun, ends, keep } = machine();
  const both = [keep(state(1)), keep(state(2))];
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  ends[0]!();
  await both[0];
  await Promise.resolve();
  ends[1]!();
  await both[1];
  expect(begun).toEqual([JSON.stringify(state(1)), JSON.stringify(state(2))]);
});
