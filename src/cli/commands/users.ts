import { call, errorOf } from '../../client/calls.ts';
import { modelTag } from '../../wire/tags.ts';
import { resolveModel, type ControllerSession } from '../../operate/sessions.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatAgo, formatTime } from '../format/time.ts';
import { timeStyle } from '../time-style.ts';
import { shownUser } from '../users/shown-user.ts';

export const users = command({
  name: 'users',
  summary: 'Lists Juju users allowed to connect to a controller or model.',
  usage: '[<model name>]',
  details: `Without a model, the users of the controller are listed, to superusers all of them. The user who is logged in is
marked with an asterisk. Disabled users are listed with --all.`,
  examples: ['users', 'users --all', 'users mymodel'],
  seeAlso: ['add-user', 'register', 'show-user', 'disable-user', 'enable-user'],
  completes: ['model'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    all: bool('--all', 'Include disabled users'),
    exactTime: bool('--exact-time', 'Use full timestamp for connection times'),
  },
  async run(context, flags, args) {
    const [model, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    const session = await context.openController(flags.controller);
    await (model === undefined
      ? showUsers(context, session, flags)
      : showModelUsers(context, session, model, flags));
  },
});

interface Flags {
  readonly all: boolean;
  readonly exactTime: boolean;
  readonly format: string;
}

async function showUsers(context: CommandContext, session: ControllerSession, flags: Flags): Promise<void> {
  const { results } = await call(session.connection, 'UserManager', 'UserInfo', {
    entities: [],
    'include-disabled': flags.all,
  });
  const style = timeStyle(context.io, false);
  const list = results.map(({ result, error }) => {
    if (error) throw errorOf(error);
    return shownUser(result!, style, flags.exactTime);
  });
  const rows = list.map((user) => [
    user['user-name'] + mark(user['user-name'], session),
    user['display-name'],
    user.access,
    user['date-created'],
    user['last-connection'] + (user.disabled ? ' (disabled)' : ''),
  ]);
  const header = ['Name', 'Display name', 'Access', 'Date created', 'Last connection'];
  await context.write(
    render(flags.format, list, {
      tabular: () =>
        formatSections([{ rows: [[`Controller: ${session.controller}`]] }, { rows: [header, ...rows] }]),
    }),
  );
}

async function showModelUsers(
  context: CommandContext,
  session: ControllerSession,
  model: string,
  flags: Flags,
): Promise<void> {
  const { uuid } = await resolveModel(context.client, `${session.controller}:${model}`);
  const { results } = await call(session.connection, 'UserManager', 'ModelUserInfo', {
    entities: [{ tag: modelTag(uuid) }],
  });
  const style = timeStyle(context.io, false);
  const list = results.map(({ result, error }) => {
    if (error) throw errorOf(error);
    const { user, 'display-name': displayName, access, 'last-connection': connected } = result!;
    const shown =
      flags.exactTime && connected !== null
        ? formatTime(connected, style)
        : formatAgo(connected ?? undefined, style);
    return [user, { 'display-name': displayName, access, 'last-connection': shown }] as const;
  });
  const rows = list.map(([name, user]) => [
    name + mark(name, session),
    user['display-name'],
    user.access,
    user['last-connection'],
  ]);
  const header = ['Name', 'Display name', 'Access', 'Last connection'];
  await context.write(
    render(flags.format, Object.fromEntries(list), {
      tabular: () => formatSections([{ rows: [header, ...rows] }]),
    }),
  );
}

const mark = (name: string, { user }: ControllerSession): string => (name === user ? '*' : '');
