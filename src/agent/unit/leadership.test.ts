import { beforeEach, describe, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { AgentApi } from '../uplink.ts';
import { LeadershipTracker } from './leadership.ts';

const leaseMs = 60_000;
const { signal } = new AbortController();

let clock: ManualClock;
let holder: string;
let claims: number;
/** Whether the last claim said that the unit relies on a lease. */
let holds: boolean | undefined;
/** Lets the controller answer a claim only when a test lets it. */
let answer: () => void;
let tracker: LeadershipTracker;

beforeEach(() => {
  clock = new ManualClock();
  holder = '';
  claims = 0;
  answer = () => undefined;
  const api = {
    call: async (_method: string, params: { holds?: boolean }) => {
      claims++;
      holds = params.holds;
      await Promise.resolve();
      answer();
      return {};
    },
  } as unknown as AgentApi;
  tracker = new LeadershipTracker({ unit: 'web/0', api, clock, holder: () => holder });
});

function deny(): void {
  throw new JujuError('leadership claim denied', 'leadership claim denied');
}

describe('the lease of a unit', () => {
  test('a lease is counted from the request, as the controller may have granted it before its answer came', async () => {
    answer = () => clock.advance(20_000);
    await tracker.attend(signal);
    clock.advance(leaseMs - 20_000 - 1);
    expect(tracker.leads).toBe(true);
    clock.advance(1);
    expect(tracker.leads).toBe(false);
  });

  test('a lease is renewed at half its time, not when it is over', async () => {
    expect(await tracker.attend(signal)).toBe(leaseMs / 2);
    clock.advance(leaseMs / 2 - 1);
    await tracker.attend(signal);
    expect(claims).toBe(1);
    clock.advance(1);
    await tracker.attend(signal);
    expect(claims).toBe(2);
    clock.advance(leaseMs - 1);
    expect(tracker.leads).toBe(true);
  });

  test('a claim tells whether the unit relies on a lease, which a restored controller may not know', async () => {
    await tracker.attend(signal);
    expect(holds).toBe(false);
    clock.advance(leaseMs / 2);
    await tracker.attend(signal);
    expect(holds).toBe(true);
    clock.advance(leaseMs);
    await tracker.attend(signal);
    expect(holds).toBe(false);
  });

  test('a lease ends at once when a claim is denied', async () => {
    await tracker.attend(signal);
    clock.advance(leaseMs / 2);
    answer = deny;
    await tracker.attend(signal);
    expect(tracker.leads).toBe(false);
  });

  test('a lease goes on when a claim fails for another reason, which is thrown to the caller', async () => {
    await tracker.attend(signal);
    clock.advance(leaseMs / 2);
    answer = () => {
      throw new JujuError('try again', 'the controller is busy');
    };
    await expect(tracker.attend(signal)).rejects.toThrow('the controller is busy');
    expect(tracker.leads).toBe(true);
  });
});

describe('is-leader', () => {
  test('is-leader is true without a call while half of the lease is left', async () => {
    await tracker.attend(signal);
    clock.advance(leaseMs / 2);
    expect(await tracker.isLeader()).toBe(true);
    expect(claims).toBe(1);
  });

  test('is-leader asks the controller when less is left than it guarantees', async () => {
    await tracker.attend(signal);
    clock.advance(leaseMs / 2 + 1);
    answer = deny;
    expect(await tracker.isLeader()).toBe(false);
    expect(claims).toBe(2);
  });

  test('is-leader is false without a call while another unit is known to lead', async () => {
    holder = 'web/1';
    expect(await tracker.isLeader()).toBe(false);
    expect(claims).toBe(0);
  });
});

describe('claims', () => {
  test('claims are repeated soon while nobody leads, and seldom while another unit does', async () => {
    answer = deny;
    expect(await tracker.attend(signal)).toBe(5_000);
    holder = 'web/1';
    expect(await tracker.attend(signal)).toBe(60_000);
  });

  test('claims settle who leads, whatever their answer', async () => {
    answer = deny;
    expect(tracker.settled).toBe(false);
    await tracker.attend(signal);
    expect(tracker.settled).toBe(true);
  });
});
