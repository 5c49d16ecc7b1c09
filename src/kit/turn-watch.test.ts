import { setImmediate as nextImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TurnWatch, type SlowWork } from './turn-watch.ts';

/** A simulated thread, which spends processor time and ends turns when the test says so. */
function thread(): {
  watch: TurnWatch;
  slow: SlowWork[];
  spend: (ms: number) => void;
  /** Lets wall time pass while other threads have the processor. */
  wait: (ms: number) => void;
  endTurn: () => void;
  /** Number of readings of the processor time. */
  asked: () => number;
} {
  const slow: SlowWork[] = [];
  let [cpu, wall, asked] = [0, 0, 0];
  let end: (() => void) | undefined;
  const watch = new TurnWatch({
    limitMs: 200,
    onSlow: (one) => slow.push(one),
    cpuMs: () => {
      asked++;
      return cpu;
    },
    wallMs: () => wall,
    atEnd: (fn) => (end = fn),
  });
  return {
    watch,
    slow,
    spend(ms) {
      cpu += ms;
      wall += ms;
    },
    wait: (ms) => (wall += ms),
    asked: () => asked,
    endTurn: () => {
      end?.();
      end = undefined;
    },
  };
}
const deploy = { name: 'Application.Deploy', by: 'user-admin' };
const status = { name: 'Client.FullStatus', by: 'user-bob' };

test('work that takes longer than the limit in one turn is reported with its name, its caller and its time', () => {
  const { watch, slow, spend, endTurn } = thread();
  watch.run(deploy, () => spend(201));
  endTurn();
  expect(slow).toEqual([{ ...deploy, cpuMs: 201, count: 1 }]);
});

test('work within the limit is not reported, however often it runs', () => {
  const { watch, slow, spend, endTurn } = thread();
  for (let n = 0; n < 10; n++) {
    watch.run({ ...deploy }, () => spend(150));
    endTurn();
  }
  expect(slow).toEqual([]);
});

test('a promise that continues in the same turn is charged to the work that began it', async () => {
  const { watch, slow, spend, endTurn } = thread();
  await watch.run(deploy, async () => {
    await Promise.resolve();
    spend(300);
  });
  endTurn();
  expect(slow).toMatchObject([{ name: deploy.name, cpuMs: 300 }]);
});

test('each of several works in one turn is charged with its own time only', () => {
  const { watch, slow, spend, endTurn } = thread();
  watch.run(deploy, () => spend(150));
  watch.run(status, () => spend(250));
  endTurn();
  expect(slow).toEqual([{ ...status, cpuMs: 250, count: 1 }]);
});

test('time between turns is charged to no work', () => {
  const { watch, slow, spend, endTurn } = thread();
  watch.run(deploy, () => spend(10));
  endTurn();
  spend(1000);
  watch.run(status, () => spend(10));
  endTurn();
  expect(slow).toEqual([]);
});

test('slow work is counted by its name, with the longest of its times', () => {
  const { watch, slow, spend, endTurn } = thread();
  for (const ms of [300, 500, 400]) {
    watch.run({ ...deploy }, () => spend(ms));
    endTurn();
  }
  expect(slow.map(({ count }) => count)).toEqual([1, 2, 3]);
  expect([...watch.slow]).toEqual([[deploy.name, { count: 3, longestMs: 500 }]]);
});

test('a later turn that a work requested is charged to that work, by the real clock of the thread', async () => {
  const slow: SlowWork[] = [];
  const watch = new TurnWatch({ limitMs: 20, onSlow: (one) => slow.push(one) });
  await watch.run(deploy, () => new Promise<void>((resolve) => watch.nextTurn(resolve))).then(burn);
  await nextImmediate();
  await nextImmediate();
  expect(slow).toMatchObject([{ name: deploy.name, by: deploy.by }]);
  expect(slow[0]!.cpuMs).toBeGreaterThan(20);
});

/** Spends 30 ms of this thread's processor time, however long other threads make it wait. */
function burn(): void {
  const spent = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system;
  for (const first = spent(); spent() - first < 30_000;);
}

test('a turn in which other threads had the processor is charged with the processor time of its own thread', () => {
  const { watch, slow, spend, wait, endTurn } = thread();
  watch.run(deploy, () => {
    spend(100);
    wait(500);
  });
  endTurn();
  watch.run(deploy, () => {
    spend(300);
    wait(300);
  });
  endTurn();
  expect(slow).toEqual([{ ...deploy, cpuMs: 300, count: 1 }]);
});

test('short turns read the processor time once in ten milliseconds', () => {
  const { watch, spend, endTurn, asked } = thread();
  for (let n = 0; n < 100; n++) {
    watch.run(deploy, () => spend(1));
    endTurn();
  }
  expect(asked()).toBe(10);
});
