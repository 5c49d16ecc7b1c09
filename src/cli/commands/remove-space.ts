import { call, errorOf, type ResultOf } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { parseTag, spaceTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { confirm } from '../prompts.ts';
import { checkedSpace } from '../spaces.ts';

type Uses = ResultOf<'Spaces', 'RemoveSpace'>['results'][number];

export const removeSpace = command({
  name: 'remove-space',
  summary: 'Remove a network space.',
  usage: '<name>',
  details: `Removes a space; its subnets go to the space "alpha". A space that constraints or bindings name is only
removed with --force: the constraints then no longer name it, and the endpoints are bound to "alpha".`,
  examples: ['remove-space db', 'remove-space db --force'],
  seeAlso: ['add-space', 'spaces', 'rename-space'],
  flags: {
    ...modelFlags,
    force: bool(
      '--force',
      'Allow to force remove a space even if there are existing constraints, bindings or configurations',
    ),
    yes: bool('-y, --yes', 'Do not prompt for confirmation'),
  },
  async run(context, { model, force, yes }, args) {
    const [given, ...moreArgs] = args;
    const name = checkedSpace(given);
    noMoreArgs(moreArgs);
    const { connection, controller: _, ...session } = await context.openModel(model);
    const ask = async (options: { force?: boolean; 'dry-run'?: boolean }): Promise<Uses> => {
      const { results } = await call(connection, 'Spaces', 'RemoveSpace', {
        'space-param': [{ space: { tag: spaceTag(name) }, ...options }],
      });
      const answer = results[0]!;
      if (answer.error)
        throw errorOf({ ...answer.error, message: `cannot remove space "${name}": ${answer.error.message}` });
      return answer;
    };
    if (force && !yes) {
      const uses = usesOf(name, await ask({ 'dry-run': true }), session);
      context.info(
        uses.length === 0
          ? 'WARNING! This command will remove the space. \nSafe removal possible. No constraints, bindings or controller config found with dependency on the given space.'
          : `WARNING! This command will remove the space with the following existing boundaries:\n\n${uses.join('\n')}\n`,
      );
      await confirm(context, 'space removal aborted');
    }
    const uses = usesOf(name, await ask(force ? { force } : {}), session);
    if (uses.length > 0)
      throw new JujuError(
        '',
        `Cannot remove space "${name}"\n\n${uses.join('\n')}\n\nUse --force to remove space\n`,
      );
    context.info(`removed space "${name}"`);
  },
});

/** Formats what keeps the space, in Juju's words. */
function usesOf(name: string, uses: Uses, { model }: { readonly model: string }): string[] {
  const tags = (uses.constraints ?? []).map(({ tag }) => parseTag(tag));
  const constrained = tags.flatMap(({ kind, id }) => (kind === 'application' ? [id] : []));
  const bound = (uses.bindings ?? []).map(({ tag }) => parseTag(tag).id);
  const settings = uses['controller-settings'] ?? [];
  return [
    ...(constrained.length > 0 ? [`- "${name}" is used as a constraint on: ${constrained.join(', ')}`] : []),
    ...(tags.some(({ kind }) => kind === 'model')
      ? [`- "${name}" is used as a model constraint: ${model}`]
      : []),
    ...(bound.length > 0 ? [`- "${name}" is used as a binding on: ${bound.join(', ')}`] : []),
    ...(settings.length > 0 ? [`- "${name}" is used for controller config(s): ${settings.join(', ')}`] : []),
  ];
}
