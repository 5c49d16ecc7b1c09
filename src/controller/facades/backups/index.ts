import { backupFormat } from '../../../core/controller/backup.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { backups as spec } from '../../../wire/facades/backups.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { checkRecipient } from '../../backups/check-recipient.ts';
import { backupsOf } from '../../backups/of-controller.ts';

export const backups = {
  Create: { needs: 'superuser', run: create },
} satisfies FacadeTable<typeof spec>;

async function create(
  call: Call,
  { notes, recipient, logs }: ParamsOf<typeof spec, 'Create'>,
): Promise<ResultOf<typeof spec, 'Create'>> {
  if (call.modelUuid !== call.read().in('').get('controller', 'self')?.modelUuid)
    throw new JujuError('not supported', 'backups are only supported from the controller model');
  checkLimit(limits.backupNotes, notes.length);
  if (recipient) checkRecipient(recipient);
  const made = await backupsOf(call.services).create({ notes, ...defined({ recipient, logs }) });
  call.services.log.info('a backup was made', { by: call.by, path: made.path, bytes: made.size });
  return {
    id: made.id,
    checksum: made.checksum,
    'checksum-format': 'SHA-1, base64 encoded',
    size: made.size,
    stored: made.finished,
    started: made.started,
    finished: made.finished,
    notes,
    model: made.model,
    machine: made.machine,
    hostname: made.hostname,
    version: made.version,
    base: made.base,
    filename: made.path,
    'format-version': backupFormat,
    'controller-uuid': made.controller,
    'controller-machine-id': made.machine,
    'controller-machine-inst-id': made.instance,
    'ha-nodes': 1,
  };
}
