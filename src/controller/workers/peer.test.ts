import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Peer } from './peer.ts';

/** Lets everything run that waits for nothing but promises. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A peer that lets in everybody. `times`: seconds at which it was dialled. */
function lettingIn() {
  const clock = new ManualClock(0);
  const times: number[] = [];
  let lose: (reason: Error) => void = () => undefined;
  const peer = new Peer({
    services: {
      clock,
      random: () => 0.5,
      elsewhere: {
        connect: () => {
          times.push(clock.now() / 1000);
          const closed = Promise.withResolvers<Error>();
          lose = closed.resolve;
          return Promise.resolve({
            call: () => Promise.resolve({}),
            closed: closed.promise,
            close: () => Promise.resolve(),
          });
        },
        discharge: () => Promise.reject(new Error('none')),
      },
    },
    model: 'm',
    controller: () => ({ uuid: 'c', alias: 'far', addresses: ['10.0.0.1:17070'], caCert: '' }),
    onReturn: () => undefined,
  });
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await turn();
      clock.advance(1000);
    }
    await turn();
  }
  return { peer, times, pass, lose: () => lose(new Error('the connection ended')) };
}

test('a controller that lets in and then ends the connection is dialled later each time', async () => {
  const { peer, times, pass, lose } = lettingIn();
  await peer.call('F', 'M', {});
  for (let second = 0; second < 120; second++) {
    lose();
    await pass(1);
  }
  peer.stop();
  expect(times).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
});

test('a controller whose connection lasted longer than it was waited for is dialled after a second again', async () => {
  const { peer, times, pass, lose } = lettingIn();
  await peer.call('F', 'M', {});
  for (const seconds of [1, 3]) {
    lose();
    await pass(seconds);
  }
  expect(times).toEqual([0, 1, 3]);
  await pass(2);
  lose();
  await pass(2);
  peer.stop();
  expect(times.slice(3)).toEqual([7]);
});
