import { isMachineId } from '../../core/names.ts';
import { machineTag, parseTag } from '../../wire/tags.ts';
import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { mustAsk, promptFlags } from '../prompts.ts';
import { remove } from '../removal.ts';

export const removeMachine = command({
  name: 'remove-machine',
  summary: 'Removes one or more machines from a model.',
  usage: '<machine number> [<machine number> ...]',
  details: `Machines are specified by their numbers. A machine that has units or containers is only removed with
--force, which removes them too. With --keep-instance the instance goes on running, unmanaged.`,
  examples: ['remove-machine 5', 'remove-machine 6 --force', 'remove-machine 7 --keep-instance'],
  seeAlso: ['add-machine'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    force: bool('--force', 'Completely remove a machine and all its dependencies'),
    keepInstance: bool('--keep-instance', 'Do not stop the running cloud instance'),
    noWait: bool(
      '--no-wait',
      'Rush through machine removal without waiting for each individual step to complete',
    ),
    ...promptFlags,
    dryRun: bool('--dry-run', 'Print what this command would be removed without removing'),
  },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('no machines specified');
    if (flags.noWait && !flags.force) throw new UsageError('--no-wait without --force not valid');
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const session = await context.openModel(flags.model);
    await remove(context, {
      what: 'machine',
      names: args,
      session,
      dryRun: flags.dryRun,
      ask: mustAsk(flags),
      call: async (mode) =>
        (
          await call(session.connection, 'MachineManager', 'DestroyMachineWithParams', {
            'machine-tags': args.map(machineTag),
            ...(flags.force ? { force: true } : {}),
            ...(flags.keepInstance ? { keep: true } : {}),
            ...(flags.noWait ? { 'max-wait': 0 } : {}),
            ...(mode === 'dry-run' ? { 'dry-run': true } : {}),
          })
        ).results,
      effects: (id, { info }) => [
        `will remove machine ${id}${flags.keepInstance ? ' (but retaining cloud instance)' : ''}`,
        ...(info?.['destroyed-units'] ?? []).map(({ tag }) => `- will remove unit ${parseTag(tag).id}`),
      ],
    });
  },
});
