/** Agents that are replaced by a newer version between and within hooks of a real charm. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { uploadCharm } from '../client/http.ts';
import { CharmAgent } from './charm-agent.ts';
import { writeZip } from './zip.ts';

const world = new CharmAgent();

/** Ends the agent within or between hooks, and starts a newer one in the same folder. */
async function update(version: string): Promise<void> {
  await world.stop();
  await world.start('0', version);
}

/** Returns the hooks that began, each with the version in its environment. */
async function ran(): Promise<string[]> {
  return (await readFile(join(world.dir, 'trace'), 'utf8').catch(() => '')).trim().split('\n');
}

async function untilRan(...last: string[]): Promise<void> {
  const deadline = Date.now() + 110_000;
  while ((await ran()).slice(-last.length).join() !== last.join()) {
    if (Date.now() > deadline)
      throw new Error(
        `${(await ran()).join(', ')} does not end in ${last.join(', ')}\n${world.lines.slice(-40).join('\n')}`,
      );
    await sleep(50);
  }
}

/** Waits until the agent has reported that it has nothing to do: its last hook is committed. */
async function untilIdle(): Promise<void> {
  const deadline = Date.now() + 110_000;
  for (;;) {
    const { applications } = await world.admin.call<{
      applications: { app: { units: Record<string, { 'agent-status': { status: string } }> } };
    }>('Client', 'FullStatus', { patterns: [] });
    if (applications.app.units['app/0']?.['agent-status'].status === 'idle') return;
    if (Date.now() > deadline) throw new Error(`app/0 is not idle\n${world.lines.slice(-40).join('\n')}`);
    await sleep(50);
  }
}

const hang = (): Promise<void> => writeFile(join(world.dir, 'hang'), '');
const goOn = (): Promise<void> => rm(join(world.dir, 'hang'));
const configure = (n: string): Promise<unknown> =>
  world.admin.call('Application', 'SetConfigs', {
    Args: [{ application: 'app', generation: 'master', config: { n }, 'config-yaml': '' }],
  });

async function upload(revision: number): Promise<string> {
  const hook = {
    text: `#!/bin/sh
echo "$JUJU_HOOK_NAME $JUJU_VERSION" >> ${world.dir}/trace
while [ -e ${world.dir}/hang ]; do sleep 0.1; done
`,
    mode: 0o100755,
  };
  const file = join(world.dir, `app-${revision}.charm`);
  await writeZip(file, {
    'metadata.yaml': 'name: app\nsummary: s\ndescription: d\n',
    'config.yaml': 'options:\n  n: {type: int, default: 0, description: A number.}\n',
    ...Object.fromEntries(
      ['install', 'start', 'config-changed', 'upgrade-charm', 'stop'].map((name) => [`hooks/${name}`, hook]),
    ),
  });
  return uploadCharm({ ...world.to, name: 'app', revision, file });
}

test(
  'a newer agent goes on where the older one ended, with the hook or operation that it was in',
  { timeout: 240_000 },
  async () => {
    await world.deploy('app', await upload(0));
    await untilRan('install 3.6.28', 'config-changed 3.6.28', 'start 3.6.28');

    await untilIdle();
    // Update between hooks: nothing runs for the update itself, `start` neither, since the machine did not boot.
    await update('3.6.29');
    await configure('1');
    await untilRan('start 3.6.28', 'config-changed 3.6.29');

    // Update within a hook: the newer agent runs the hook again before anything else.
    await hang();
    await configure('2');
    await untilRan('config-changed 3.6.29', 'config-changed 3.6.29');
    await update('3.6.30');
    await goOn();
    await untilRan('config-changed 3.6.29', 'config-changed 3.6.30');

    // Update within an upgrade of the charm: the newer agent resumes it, and config-changed follows as always.
    await hang();
    const refresh = { application: 'app', 'charm-url': await upload(1), generation: 'master', channel: '' };
    await world.admin.call('Application', 'SetCharm', {
      ...refresh,
      force: false,
      'force-units': false,
      'force-base': false,
    });
    await untilRan('upgrade-charm 3.6.30');
    await update('3.6.31');
    await goOn();
    await untilRan('upgrade-charm 3.6.30', 'upgrade-charm 3.6.31', 'config-changed 3.6.31');
  },
);
