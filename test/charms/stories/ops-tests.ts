import { expect } from 'vitest';
import { runOpsTests } from '../ops-tests/run.ts';
import type { Story } from '../stage.ts';

/** Tests that cannot pass here, with the reason. */
const cannotApply: Readonly<Record<string, string>> = {
  test_juju_reboot_queues_reboot:
    'it reads the time of the boot from /proc/uptime, which on machines of the cloud local is the host’s; rebooter looks at the boot id',
};

const ofOps = (name: string, subject: string, ...files: string[]): Story => ({
  name,
  title: `ops’ own tests of ${subject} pass against the tools of real hooks`,
  async play({ world }) {
    const { tests, output } = await runOpsTests(
      world,
      files.map((file) => `test/integration/${file}`),
    );
    const bad = tests.filter(({ name: test, outcome }) => outcome !== 'passed' && !cannotApply[test]);
    expect(bad, output).toEqual([]);
    expect(tests.length, output).toBeGreaterThan(10);
  },
});

/** The models are those that the tests add and destroy. */
export const opsHookTools = ofOps('ops-tools', 'hook tools', 'test_hookcmds.py');
export const opsSecrets = ofOps('ops-secrets', 'secrets', 'test_secrets.py');
