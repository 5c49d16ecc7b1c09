import { limits } from '../../core/limits.ts';
import { systemClock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { openAuditFile, type AuditFile } from '../../store/files/open-audit-file.ts';

const quietMs = 60_000;

/** Opens the controller's audit log. Lost lines are reported to the controller's log, once a minute at most. */
export function openAuditLog(path: string, log: () => Log): AuditFile {
  let toldAt = -Infinity;
  const tell = (reason: unknown): void => {
    const now = systemClock.now();
    if (now - toldAt < quietMs) return;
    toldAt = now;
    log().error('records are missing in the audit log', { path, reason });
  };
  const file = openAuditFile({
    path,
    waitingBytesMax: limits.auditWaiting.max,
    now: () => systemClock.now(),
    onError: tell,
  });
  // A request that ends the process is in the log.
  const onExit = (): void => file.writeNow();
  process.on('exit', onExit);
  return {
    ...file,
    append(line, settings) {
      const isTaken = file.append(line, settings);
      if (!isTaken) tell('the disk is too slow');
      return isTaken;
    },
    close() {
      process.off('exit', onExit);
      return file.close();
    },
  };
}
