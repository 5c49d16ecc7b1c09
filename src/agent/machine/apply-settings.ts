import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { renderSettingsScript } from '../../providers/toolkit/user-data/index.ts';
import { commandRunner } from './run-command.ts';
import type { ApplySettings } from './system-settings.ts';

/**
 * Timeout for refreshing package indexes: hooks wait for it once, and a mirror that does not answer must not keep
 * them.
 */
const refreshSeconds = 30;
const allMs = 120_000;

/**
 * Returns a function that writes settings to the machine's files. The machine must be root's own and not a set of
 * processes on a host. `firstBoot`: whether first-boot work, such as creating the user ubuntu, is left to this
 * function; `dir`: the machine agent's folder.
 */
export function settingsApplier(options: {
  readonly dir: string;
  readonly firstBoot: boolean;
  readonly clock: Clock;
}): ApplySettings {
  const { dir, firstBoot, clock } = options;
  const run = commandRunner(clock);
  const bootedFile = join(dir, 'booted');
  return async (settings, log, signal) => {
    const isFirst = firstBoot && !existsSync(bootedFile);
    const script = join(dir, 'settings.sh');
    const text = renderSettingsScript(settings, {
      account: firstBoot,
      refreshSeconds: isFirst && settings.refresh ? refreshSeconds : 0,
    });
    // The mode protects passwords in proxy URLs.
    await writeFile(script, text, { mode: 0o600 });
    try {
      const { kind, message, code, output } = await run('exec sh "$SETTINGS"', {
        timeoutMs: allMs,
        signal,
        environment: { SETTINGS: script },
      });
      for (const line of output?.stderr?.split('\n') ?? [])
        if (line !== '') log.info(line.replace(/^juju: /, ''));
      if (kind !== 'done') throw new Error(`cannot apply the settings: ${message ?? `status ${code}`}`);
    } finally {
      await rm(script, { force: true });
    }
    if (isFirst) await writeFile(bootedFile, '');
  };
}
