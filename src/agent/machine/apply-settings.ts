import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killGroup } from '../../hooks/leftover.ts';
import type { Clock } from '../../kit/clock.ts';
import { renderSettingsScript } from '../../providers/user-data/index.ts';
import type { ApplySettings } from './system-settings.ts';

/** Hooks wait for it once: a mirror that does not answer must not keep them for long. */
const refreshSeconds = 30;
const allSeconds = 120;

/**
 * Writes files of the machine, so it must be one: root's, and not only processes of a host. `firstBoot`: nothing else
 * does what a first boot has to do, such as making the user ubuntu; `dir`: the machine agent's own.
 */
export function settingsApplier(options: {
  readonly dir: string;
  readonly firstBoot: boolean;
  readonly clock: Clock;
}): ApplySettings {
  const { dir, firstBoot, clock } = options;
  const done = join(dir, 'booted');
  return async (settings, log, signal) => {
    const isFirst = firstBoot && !existsSync(done);
    const script = join(dir, 'settings.sh');
    const text = renderSettingsScript(settings, {
      account: firstBoot,
      refreshSeconds: isFirst && settings.refresh ? refreshSeconds : 0,
    });
    // Proxies may have passwords.
    await writeFile(script, text, { mode: 0o600 });
    try {
      await run(script, (line) => log.info(line));
    } finally {
      await rm(script, { force: true });
    }
    if (isFirst) await writeFile(done, '');

    async function run(path: string, say: (line: string) => void): Promise<void> {
      const child = spawn('sh', [path], { cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
      const over = new AbortController();
      const kill = (): void => {
        if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid);
      };
      clock.sleep(allSeconds * 1000, over.signal).then(kill, () => undefined);
      signal.addEventListener('abort', kill, { once: true });
      createInterface(child.stderr).on('line', (line) => say(line.replace(/^juju: /, '')));
      try {
        const code = await new Promise<number | null>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', resolve);
        });
        signal.throwIfAborted();
        if (code !== 0) throw new Error(`what brings its settings ended with status ${code}`);
      } finally {
        over.abort();
        signal.removeEventListener('abort', kill);
      }
    }
  };
}
