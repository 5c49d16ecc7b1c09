import type { LogLine, LogStore } from '../logs.ts';
import { ModelLog } from './model-log.ts';
import { makeFolderSync } from '../../kit/make-folder.ts';

interface FileLogsOptions {
  readonly folder: string;
  /** Size at which the current file of a model is rotated; the previous one is then deleted. Default 20 MB. */
  readonly bytesMax?: () => number;
  /** How long lines may wait in memory, in milliseconds; default 200. */
  readonly flushMs?: number;
  /** Called when lines could not be written; they are lost. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Opens logs as files of JSON lines, `<folder>/<model>/{current,previous}.log`. Appending is a push to memory; lines
 * are written in batches. A crash loses the lines of the last `flushMs`; half a line is skipped when it is read.
 */
export function openFileLogs(options: FileLogsOptions): LogStore {
  const { folder, bytesMax = () => 20_000_000, flushMs = 200, onError = () => undefined } = options;
  makeFolderSync(folder, 0o700);
  const models = new Map<string, ModelLog>();
  const followers = new Map<string, Set<(line: LogLine) => void>>();
  let timer: NodeJS.Timeout | undefined;

  const logOf = (model: string): ModelLog => {
    if (!/^[\w-]+$/.test(model)) throw new Error(`"${model}" cannot name a log`);
    let log = models.get(model);
    if (!log) models.set(model, (log = new ModelLog({ folder, model, bytesMax, onError })));
    return log;
  };
  const flushAll = (): void => {
    timer = undefined;
    for (const log of models.values()) void log.flush();
  };

  return {
    append(model, lines) {
      logOf(model).append(lines);
      timer ??= setTimeout(flushAll, flushMs).unref();
      for (const onLine of followers.get(model) ?? []) for (const line of lines) onLine(line);
    },
    replay: (model) => logOf(model).replay(),
    last: (model, n, filter) => logOf(model).last(n, filter),
    follow(model, onLine) {
      const all = followers.get(model) ?? new Set();
      followers.set(model, all);
      // A function of its own, so that one callback may follow twice.
      const follower = (line: LogLine): void => onLine(line);
      all.add(follower);
      return () => {
        all.delete(follower);
        if (all.size === 0 && followers.get(model) === all) followers.delete(model);
      };
    },
    remove(model) {
      void logOf(model).remove();
    },
    async close() {
      clearTimeout(timer);
      followers.clear();
      await Promise.all([...models.values()].map((log) => log.flush()));
    },
  };
}
