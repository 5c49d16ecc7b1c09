import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { renderSettingsScript } from '../../providers/user-data/index.ts';
import { commandRunner } from './run-command.ts';
import type { ApplySettings } from './system-settings.ts';

/** Hooks wait for it once: a mirror that does not answer must not keep them for long. */
const refreshSeconds = 30;
const allMs = 120_000;

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
  const run = commandRunner(clock);
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
      const { kind, message, code, output } = await run('exec sh "$SETTINGS"', {
        timeoutMs: allMs,
        signal,
        environment: { SETTINGS: script },
      });
      for (const line of output?.stderr?.split('\n') ?? [])
        if (line !== '') log.info(line.replace(/^juju: /, ''));
      if (kind !== 'done')
        throw new Error(`what brings its settings has failed: ${message ?? `status ${code}`}`);
    } finally {
      await rm(script, { force: true });
    }
    if (isFirst) await writeFile(done, '');
  };
}
