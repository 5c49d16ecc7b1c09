/**
 * The cases that every provider passes, for vitest: a test file calls `describeProvider` with each way that the
 * provider is to be tried. What each capability promises is in provider.ts; docs/writing-a-provider.md shows the use.
 */
import { describe, test } from 'vitest';
import { agentCases } from './conformance/agent.ts';
import { capabilityCases } from './conformance/capabilities.ts';
import { configCases } from './conformance/config.ts';
import { crashCases } from './conformance/crash.ts';
import { firewallCases } from './conformance/firewall.ts';
import { instanceCases } from './conformance/instances.ts';
import { setUp } from './conformance/kit.ts';
import { startCases } from './conformance/starts.ts';
import type { Subject } from './conformance/subject.ts';

export type { Look, Subject } from './conformance/subject.ts';
export { abortAtCheck, createProviderWorld, type Opened, type ProviderWorld } from './conformance/world.ts';

/** Declares the cases; those of what the provider does not have are skipped, and say what that is. */
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
  });
}
