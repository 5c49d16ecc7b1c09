import { allOk, call } from '../../client/calls.ts';
import { isApplicationName } from '../../core/names.ts';
import { applicationTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const removeSaas = command({
  name: 'remove-saas',
  summary: 'Remove consumed applications (SAAS) from the model.',
  usage: '<saas-application-name> [<saas-application-name>...]',
  details: `Its relations end, and it goes with the last of them. With --force, neither units nor the other model are
waited for.`,
  examples: ['remove-saas hosted-mysql', 'remove-saas -m test-model hosted-mariadb'],
  seeAlso: ['consume'],
  flags: {
    ...modelFlags,
    force: bool('--force', 'Completely remove a SAAS and all its dependencies'),
    noWait: bool(
      '--no-wait',
      'Rush through SAAS removal without waiting for each individual step to complete',
    ),
  },
  async run(context, { model, force, noWait }, names) {
    if (names.length === 0) throw new UsageError('no SAAS application names specified');
    const invalid = names.find((name) => !isApplicationName(name));
    if (invalid !== undefined) throw new UsageError(`invalid SAAS application name "${invalid}"`);
    if (noWait && !force) throw new UsageError('--no-wait without --force not valid');
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'DestroyConsumedApplications', {
      applications: names.map((name) => ({
        'application-tag': applicationTag(name),
        force,
        ...(noWait && { 'max-wait': 0 }),
      })),
    });
    results.forEach(({ error }, n) => {
      if (!error) context.info(`removing SAAS application ${names[n]}`);
    });
    allOk(results, (n) => names[n]!);
  },
});
