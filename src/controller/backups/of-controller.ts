import { JujuError } from '../../core/errors.ts';
import type { Services } from '../services.ts';
import type { Backups } from './backups.ts';

/** The backups of a controller. Errors: `not supported` by one that has no files. */
export function backupsOf({ backups }: Pick<Services, 'backups'>): Backups {
  if (!backups) throw new JujuError('not supported', 'backups of a controller without files not supported');
  return backups;
}
