/** Bugs in the agent, in its leadership and leases, and in the commit of its hooks. */
import type { Mutant } from './mutants.ts';

const leadership = ['agent/unit/leadership.test.ts'];
const hookCommit = ['controller/transactions/agent/commit-hook.test.ts'];
const leases = ['controller/transactions/agent/leadership.test.ts'];

export const mutantsOfAgents: readonly Mutant[] = [
  // Leadership in the agent.
  {
    name: 'an agent counts its lease from the answer, not from its request',
    file: 'agent/unit/leadership.ts',
    find: `this.#expiresAt = began + leaseMs;`,
    replace: `this.#expiresAt = clock.now() + leaseMs;`,
    tests: leadership,
  },
  {
    name: 'is-leader promises what is left of the lease, however little',
    file: 'agent/unit/leadership.ts',
    find: `if (this.#options.clock.now() <= this.#expiresAt - guaranteeMs) return true;`,
    replace: `if (this.leads) return true;`,
    tests: leadership,
  },
  {
    name: 'an agent whose claim is denied leads on',
    file: 'agent/unit/leadership.ts',
    find: `      this.#expiresAt = 0;`,
    replace: ``,
    tests: leadership,
  },
  {
    name: 'a lease is renewed when it is over',
    file: 'agent/unit/leadership.ts',
    find: `if (this.leads) return this.#expiresAt - guaranteeMs;`,
    replace: `if (this.leads) return this.#expiresAt;`,
    tests: leadership,
  },
  {
    name: 'is-leader asks the controller while another is known to lead',
    file: 'agent/unit/leadership.ts',
    find: `    if (!this.leads && this.#otherLeads()) return false;`,
    replace: ``,
    tests: leadership,
  },
  {
    name: 'a failed claim counts as a denied one',
    file: 'agent/unit/leadership.ts',
    find: `if (!hasCode(error, 'leadership claim denied')) throw error;`,
    replace: ``,
    tests: leadership,
  },

  // The commit of a hook.
  {
    name: 'ports of other applications are no conflict at the commit of a hook',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `ports = openPort(current(), { endpoint, range: parsePortRange(range) }, rangesOfOthers);`,
    replace: `ports = openPort(current(), { endpoint, range: parsePortRange(range) }, []);`,
    tests: hookCommit,
  },
  {
    name: 'ports of units on other machines are a conflict',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `[...tx.find('unit', 'machine', unit.machine ?? '')]`,
    replace: `[...tx.list('unit')]`,
    tests: hookCommit,
  },
  {
    name: 'a hook opens ports before it closes others',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `for (const { endpoint, range } of commit.closePorts)
    ports = closePort(current(), { endpoint, range: parsePortRange(range) });
  for (const { endpoint, range } of commit.openPorts)
    ports = openPort(current(), { endpoint, range: parsePortRange(range) }, rangesOfOthers);`,
    replace: `for (const { endpoint, range } of commit.openPorts)
    ports = openPort(current(), { endpoint, range: parsePortRange(range) }, rangesOfOthers);
  for (const { endpoint, range } of commit.closePorts)
    ports = closePort(current(), { endpoint, range: parsePortRange(range) });`,
    tests: hookCommit,
  },
  {
    name: 'keys that a hook deletes of the charm state stay',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `delete charmState[key];`,
    replace: `void key;`,
    tests: hookCommit,
  },
  {
    name: 'an application databag is written by any unit',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `if (change.app) assertLeader(tx, unit, 'cannot write relation settings');`,
    replace: ``,
    tests: hookCommit,
  },
  {
    name: 'a databag of a relation that the unit is not in is written',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `if (!takesPartIn(tx, unit, relation))`,
    replace: `if (false)`,
    tests: hookCommit,
  },

  // Leases at the controller.
  {
    name: 'a lease is as long as the agent asks',
    file: 'controller/transactions/agent/leadership.ts',
    find: `Math.min(Math.max(args.durationMs, 1000), longestLeaseMs)`,
    replace: `Math.max(args.durationMs, 1000)`,
    tests: leases,
  },
  {
    name: 'a lease holds at the instant of its end',
    file: 'controller/transactions/agent/leadership.ts',
    find: `lease.expiresAt > now`,
    replace: `lease.expiresAt >= now`,
    tests: leases,
  },
  {
    name: 'a unit that is dead may lead',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (unit.life === 'dead' || unit.unplaced)`,
    replace: `if (unit.unplaced)`,
    tests: leases,
  },
  {
    name: 'settings of the leader that are emptied stay',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (value === '') delete values[key];`,
    replace: `void value, key;`,
    tests: leases,
  },
];
