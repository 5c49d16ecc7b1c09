import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { damaged, isAbsent, parseJson } from '../../providers/toolkit/json-file.ts';

/** Paths of a controller's files, all inside its data directory, mode 0700. */
export function dataPaths(
  dataDir: string,
): Record<
  | 'settings'
  | 'store'
  | 'contents'
  | 'blobs'
  | 'logs'
  | 'audit'
  | 'machines'
  | 'tools'
  | 'bundles'
  | 'agents'
  | 'uploads'
  | 'pid'
  | 'ready'
  | 'room'
  | 'backups'
  | 'backupNumbers'
  | 'restored',
  string
> {
  return {
    settings: join(dataDir, 'controller.json'),
    store: join(dataDir, 'store.db'),
    contents: join(dataDir, 'secrets.db'),
    blobs: join(dataDir, 'blobs'),
    logs: join(dataDir, 'logs'),
    audit: join(dataDir, 'audit.log'),
    machines: join(dataDir, 'machines'),
    tools: join(dataDir, 'tools'),
    bundles: join(dataDir, 'bundles'),
    agents: join(dataDir, 'agents'),
    uploads: join(dataDir, 'uploads'),
    pid: join(dataDir, 'controller.pid'),
    ready: join(dataDir, 'ready'),
    room: join(dataDir, 'room'),
    backups: join(dataDir, 'backups'),
    backupNumbers: join(dataDir, 'backup-numbers.json'),
    restored: join(dataDir, 'restored.json'),
  };
}

/** Settings that are needed before the store is open, including its secrets; written once by `init`, mode 0600. */
export interface ControllerSettings {
  readonly uuid: string;
  readonly name: string;
  readonly apiPort: number;
  /** Addresses besides the host's own; present when the host is an instance of a cloud. */
  readonly reachedBy?: readonly string[];
  readonly caCert: string;
  readonly caKey: string;
  /** Key from which agents' first passwords are derived: 32 bytes in base64. */
  readonly agentKey: string;
  /** Number of revisions that `history` and `status --at` can go back; absent = the store's default. */
  readonly historyRevisions?: number;
}

/** Reads the settings. Errors: when the directory contains no controller, or a damaged one. */
export function readSettings(dataDir: string): ControllerSettings {
  const path = dataPaths(dataDir).settings;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (isAbsent(cause))
      throw new Error(`no controller in ${dataDir}: run "grigri bootstrap" first`, { cause });
    throw new Error(`cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  const settings = parseJson<ControllerSettings>(path, text);
  const missing = required.filter((key) => settings?.[key] === undefined);
  if (missing.length > 0) throw damaged(path, `${missing.join(', ')} missing`);
  return settings;
}

const required = ['uuid', 'apiPort', 'caCert', 'caKey', 'agentKey'] as const;
