import { hasCode } from '../../core/errors.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { explanationTree } from '../format/explanation-tree.ts';
import { controllerIn } from '../format/suggested-line.ts';
import { render } from '../format/render.ts';
import { userTag } from '../../wire/tags.ts';
import { defined } from '../../core/defined.ts';

export const explain = command({
  name: 'explain',
  summary: 'Shows what an entity is waiting for, and who must act.',
  usage: '[<unit> | <application> | <machine> | <relation> | <model> | <secret> | <user>]',
  details: `Shows the life of a unit, application, machine, relation or model, and the complete chain of causes that
delay its removal or its start, down to the agents or people who must act, since when, and the commands that help.
Without an argument, it explains the model.

A relation is given by its two endpoints, with or without the endpoint names, or by its number: "relation 3". A number
alone is a machine. Such a keyword takes precedence over names.

For a user ("user bob"), it shows the use of the user's limits: models and credentials. Users may explain themselves,
and superusers everyone. A name alone is a user only when no entity of the model and no model has that name.

For a secret ("secret ID", or "secret name" for a user's), it shows who may read it and why, and for whom older revisions
stay.

Nothing is changed. --format json and yaml contain everything that the tree shows.`,
  examples: [
    'explain mysql/0',
    'explain mysql',
    'explain 3',
    'explain wordpress:db mysql:server',
    'explain relation 3',
    'explain',
    'explain secret db-password',
    'explain user bob',
    'explain mysql --format json',
  ],
  seeAlso: ['status', 'removals', 'resolved'],
  completes: ['unit'],
  flags: { ...modelFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    const explained = await ask(context, model, args);
    await context.write(render(format, explained, { tabular: () => explanationTree(explained) }));
  },
});

type Explained = ResultOf<'Lives', 'Explain'>;

/** Asks for an explanation. A single name that the model does not have may be the name of another model or a user. */
async function ask(context: CommandContext, model: string, names: readonly string[]): Promise<Explained> {
  const [first, second] = names;
  if (first === 'user' && second !== undefined && names.length === 2) return askUser(context, model, second);
  const { connection } = await context.openModel(model);
  try {
    return asTyped(context, await call(connection, 'Lives', 'Explain', { names: [...names] }));
  } catch (error) {
    const otherName =
      names.length === 2 && names[0] === 'model' ? names[1] : names.length === 1 ? names[0] : '';
    if (!hasCode(error, 'not found') || !otherName || model !== '') throw error;
    const session = await context.openModel(otherName).catch(() => undefined);
    if (!session) {
      const user =
        names.length === 1 ? await askUser(context, model, otherName).catch(() => undefined) : undefined;
      if (user) return user;
      throw error;
    }
    return asTyped(context, await call(session.connection, 'Lives', 'Explain', { names: [] }), otherName);
  }
}

/** Asks about a user. `model` is the value of -m, which selects the controller. */
async function askUser(context: CommandContext, model: string, name: string): Promise<Explained> {
  const { connection } = await context.openController(controllerIn(model));
  return asTyped(context, await call(connection, 'Lives', 'ExplainUser', { tag: userTag(name) }), '');
}

/** Completes the suggested commands: with the program's name, and with the model, '' = none, absent = that of -m. */
function asTyped(context: CommandContext, explained: Explained, model?: string): Explained {
  type Commands = Explained['next'][number]['commands'];
  const commands = (list: Commands): Commands =>
    list.map(({ line, effect }) => ({
      line: context.lineFor(line, model),
      effect,
    }));
  const actor = (actorEntry: Explained['next'][number]) => ({
    ...actorEntry,
    commands: commands(actorEntry.commands),
  });
  const node = (explanation: Explained['explanation']): Explained['explanation'] => ({
    ...explanation,
    ...defined({ actor: explanation.actor ? actor(explanation.actor) : undefined }),
    ...(explanation.removal
      ? { removal: { ...explanation.removal, commands: commands(explanation.removal.commands) } }
      : {}),
    'waits-for': explanation['waits-for'].map(node),
  });
  return { ...explained, explanation: node(explained.explanation), next: explained.next.map(actor) };
}
