import { hasCode } from '../../core/errors.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { explanationTree } from '../format/explanation-tree.ts';
import { render } from '../format/render.ts';
import { userTag } from '../../wire/tags.ts';
import { defined } from '../../core/defined.ts';

export const explain = command({
  name: 'explain',
  summary: 'Tells what an entity is waiting for, and who must act.',
  usage: '[<unit> | <application> | <machine> | <relation> | <model> | <user>]',
  details: `Shows the life of a unit, application, machine, relation or model, the whole chain of what stands in the
way of its end, or of its coming up, down to the agents or people who must act, since when they should, and the
commands that would help. Without an argument it is about the model.

A relation is named by its two ends, with or without the endpoints, or by its number: "relation 3". A number alone is a
machine's. Such a word is understood before any name.

Of a user ("user bob") it shows how much of what a user may have is used: models and credentials. Everybody may ask that
about oneself, and a superuser about all. A name alone is a user's when nothing in the model and no model has it.

Nothing is changed. --format json and yaml have everything that the tree shows.`,
  examples: [
    'explain mysql/0',
    'explain mysql',
    'explain 3',
    'explain wordpress:db mysql:server',
    'explain relation 3',
    'explain',
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
    return withModel(await call(connection, 'Lives', 'Explain', { names: [...names] }), model);
  } catch (error) {
    const other = names.length === 2 && names[0] === 'model' ? names[1] : names.length === 1 ? names[0] : '';
    if (!hasCode(error, 'not found') || !other || model !== '') throw error;
    const session = await context.openModel(other).catch(() => undefined);
    if (!session) {
      const user =
        names.length === 1 ? await askUser(context, model, other).catch(() => undefined) : undefined;
      if (user) return user;
      throw error;
    }
    return withModel(await call(session.connection, 'Lives', 'Explain', { names: [] }), other);
  }
}

/** Asks about a user. `model` is the value of -m, which selects the controller. */
async function askUser(context: CommandContext, model: string, name: string): Promise<Explained> {
  const [controller = ''] = model.includes(':') ? model.split(':') : [];
  const { connection } = await context.openController(controller);
  return call(connection, 'Lives', 'ExplainUser', { tag: userTag(name) });
}

/** Adds the model to the suggested commands, so that they work when it is not the current one. */
function withModel(explained: Explained, model: string): Explained {
  if (model === '') return explained;
  type Commands = Explained['next'][number]['commands'];
  const commands = (list: Commands): Commands =>
    list.map(({ line, effect }) => ({
      line: ofModel(line, model),
      effect,
    }));
  const actor = (one: Explained['next'][number]) => ({ ...one, commands: commands(one.commands) });
  const node = (one: Explained['explanation']): Explained['explanation'] => ({
    ...one,
    ...defined({ actor: one.actor ? actor(one.actor) : undefined }),
    ...(one.removal ? { removal: { ...one.removal, commands: commands(one.removal.commands) } } : {}),
    'waits-for': one['waits-for'].map(node),
  });
  return { ...explained, explanation: node(explained.explanation), next: explained.next.map(actor) };
}

function ofModel(line: string, model: string): string {
  if (line.startsWith('grigri destroy-model ')) return `grigri destroy-model ${model}`;
  // Credentials belong to the controller, whatever models use them: the command takes no -m.
  return line.startsWith('grigri update-credential ') ? line : `${line} -m ${model}`;
}
