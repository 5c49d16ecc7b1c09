import { call, type ParamsOf } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { storageTag, report, someIds, forceFlags } from '../storage.ts';

export const removeStorage = command({
  name: 'remove-storage',
  summary: 'Removes storage from the model.',
  usage: '<storage ID> …',
  details: `The data are destroyed, or with --no-destroy left in the cloud. Storage that a unit uses is refused, except
with --force, which detaches it first.`,
  examples: ['remove-storage data/0', 'remove-storage --force data/0', 'remove-storage --no-destroy data/0'],
  seeAlso: ['storage', 'detach-storage'],
  flags: {
    ...modelFlags,
    ...forceFlags,
    noDestroy: bool('--no-destroy', 'Remove the storage without destroying it'),
  },
  async run(context, { model, force, noWait, noDestroy }, args) {
    const ids = someIds(args, 'remove-storage');
    if (noWait && !force) throw new UsageError('--no-wait without --force not valid');
    const storage: ParamsOf<'Storage', 'Remove'>['storage'] = ids.map((id) => ({
      tag: storageTag(id),
      'destroy-storage': !noDestroy,
      ...(force && { force, 'destroy-attachments': true }),
    }));
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Storage', 'Remove', { storage });
    const isAttached = results.some(({ error }) => error?.code === 'storage is attached');
    report(
      context,
      results,
      { done: (i) => `removing ${ids[i]}`, failed: (i) => `failed to remove ${ids[i]}` },
      isAttached ? hint : undefined,
    );
  },
});

const hint =
  '\nUse the --force option to remove attached storage, or use\n"detach-storage" to explicitly detach the storage before removing.';
