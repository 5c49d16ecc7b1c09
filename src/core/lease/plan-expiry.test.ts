import { expect, test } from 'vitest';
import { planExpiry } from './plan-expiry.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const lease = (application: string, endsInMs: number): Parameters<typeof planExpiry>[0] => [
  { application, holder: `${application}/0`, expiresAt: new Date(now + endsInMs).toISOString() },
];

test.each([
  { leases: [], expired: [], nextMs: undefined, what: 'no lease asks for no other look' },
  {
    leases: [...lease('mysql', -1), ...lease('wordpress', 0)],
    expired: ['mysql', 'wordpress'],
    nextMs: undefined,
    what: 'a lease has run out at its last instant',
  },
  {
    leases: [...lease('mysql', 30_000), ...lease('wordpress', 20_000)],
    expired: [],
    nextMs: 20_000,
    what: 'the next look is at the earliest end',
  },
  { leases: [...lease('mysql', 3)], expired: [], nextMs: 100, what: 'the next look is not within 100 ms' },
])('$what', ({ leases, expired, nextMs }) => {
  expect(planExpiry(leases, now)).toEqual({ expired, nextMs });
});
