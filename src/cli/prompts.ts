import type { CommandContext } from './context.ts';
import { Aborted } from './errors.ts';
import { bool } from './flags.ts';

/** Flags of commands that ask for confirmation. */
export const promptFlags = {
  noPrompt: bool('--no-prompt', 'Do not ask for confirmation'),
  yes: bool('-y, --yes', 'Do not ask for confirmation'),
};

export function mustAsk(flags: { readonly noPrompt: boolean; readonly yes: boolean }): boolean {
  return !flags.noPrompt && !flags.yes;
}

/** Asks `Continue [y/N]? `. Errors: Aborted unless the answer is yes. */
export async function confirm(context: CommandContext, aborted: string): Promise<void> {
  context.io.stderr.write('\nContinue [y/N]? ');
  const answer = (await context.io.stdin.readLine())?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new Aborted(aborted);
}

/** Asks the user to type the name before an action that cannot be undone. Errors: Aborted when the names differ. */
export async function confirmByName(
  context: CommandContext,
  { entity, verb, name, aborted }: { entity: string; verb: string; name: string; aborted: string },
): Promise<void> {
  context.io.stderr.write(`\nTo continue, enter the name of the ${entity} to be ${verb}: `);
  const answer = (await context.io.stdin.readLine())?.trim();
  if (answer !== name) throw new Aborted(aborted);
}
