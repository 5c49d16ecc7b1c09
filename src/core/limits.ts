/**
 * Every limit on what comes from outside: sizes, numbers, depths. docs/reference/limits.md says of each who may send
 * it and what it costs at the limit; limits.test.ts holds that page against this table.
 */
import { JujuError } from './errors.ts';

export interface Limit {
  readonly max: number;
  readonly unit: 'bytes' | 'characters' | 'entries' | 'levels' | 'seconds' | 'times';
  /** What is limited, as error messages name it: `charm state of unit mysql/0`. */
  readonly of: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  charmState: { max: 2 * MiB, unit: 'bytes', of: 'charm state of a unit' },
  yamlBytes: { max: MiB, unit: 'bytes', of: 'YAML text' },
  yamlMarks: { max: 50_000, unit: 'entries', of: 'words and signs of a YAML text' },
  bundleBytes: { max: 16 * MiB, unit: 'bytes', of: 'bundle that a client reads' },
  bundleMarks: { max: 5_000_000, unit: 'entries', of: 'words and signs of a bundle that a client reads' },
  plannedBundleBytes: { max: 256 * KiB, unit: 'bytes', of: 'bundle that the controller plans' },
  plannedBundleMarks: {
    max: 150_000,
    unit: 'entries',
    of: 'words and signs of a bundle that the controller plans',
  },
  yamlDepth: { max: 100, unit: 'levels', of: 'lists and maps in each other in a YAML text' },
  globLength: { max: 256, unit: 'characters', of: 'status pattern' },
  archiveEntries: { max: 50_000, unit: 'entries', of: 'files in an archive' },
  archiveDirectory: { max: 16 * MiB, unit: 'bytes', of: 'table of contents of an archive' },
  archiveUnpacked: { max: 2048 * MiB, unit: 'bytes', of: 'archive once it is unpacked' },
  archiveRatio: { max: 200, unit: 'times', of: 'size of an archive once it is unpacked, in its own' },
  archivePath: { max: 1024, unit: 'characters', of: 'path in an archive' },
  archiveDepth: { max: 64, unit: 'levels', of: 'folders in each other in an archive' },
  archiveLink: { max: 1024, unit: 'bytes', of: 'target of a link in an archive' },
} as const satisfies Readonly<Record<string, Limit>>;

/**
 * Nothing when `size` is within the limit. `subject` replaces the limit's own words where the caller knows what it is
 * about. Errors: `quota limit exceeded`, which names the limit, the size and what was too large.
 */
export function checkLimit({ max, unit, of }: Limit, size: number, subject: string = of): void {
  if (size <= max) return;
  throw new JujuError('quota limit exceeded', `${subject}: ${size} ${unit} exceed the limit of ${max}`);
}
