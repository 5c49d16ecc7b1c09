/**
 * Conformance cases for every provider, for vitest: a test file calls `describeProvider` with each configuration of the
 * provider to test. provider.ts documents the guarantees of each capability; docs/writing-a-provider.md shows the use.
 */
import { describe, test } from 'vitest';
import { agentCases } from './agent.ts';
import { capabilityCases } from './capabilities.ts';
import { configCases } from './config.ts';
import { crashCases } from './crash.ts';
import { firewallCases } from './firewall.ts';
import { instanceCases } from './instances.ts';
import { setUp } from './kit.ts';
import { migrationCases } from './migration.ts';
import { networkCases } from './networks.ts';
import { startCases } from './starts.ts';
import type { Subject } from './subject.ts';

export type { Look, Subject } from './subject.ts';
export { abortAtCheck, createProviderWorld, type Opened, type ProviderWorld } from './world.ts';

/** Declares the cases; those of absent capabilities are skipped with the reason. */
export function describeProvider(subject: Subject): void {
  const { name, possible, timeoutMs: timeout = 60_000 } = subject;
  if (possible !== true) {
    test.skip(`${name}: ${possible}`, () => undefined);
    return;
  }
  describe(name, { timeout }, () => {
    const kit = setUp(subject);
    configCases(kit);
    startCases(kit);
    agentCases(kit);
    crashCases(kit);
    instanceCases(kit);
    firewallCases(kit);
    capabilityCases(kit);
    networkCases(kit);
    migrationCases(kit);
  });
}
