import { call, only } from '../../client/calls.ts';
import { userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

/** Disables, enables or removes the user that is the one argument, and says so. */
export async function changeUser(
  context: CommandContext,
  controller: string,
  args: readonly string[],
  { method, done }: { readonly method: 'DisableUser' | 'EnableUser' | 'RemoveUser'; readonly done: string },
): Promise<void> {
  const user = userArg(args);
  const { connection } = await context.openController(controller);
  const { results } = await call(connection, 'UserManager', method, { entities: [{ tag: userTag(user) }] });
  only(results);
  context.info(`User "${user}" ${done}`);
}

export function userArg(args: readonly string[]): string {
  const [user, ...moreArgs] = args;
  if (!user) throw new UsageError('no username supplied');
  noMoreArgs(moreArgs);
  return user;
}
