/** Clouds and credentials are known twice: to this client, and to a controller. What a command is about. */
import { controllerFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { chooseController } from '../../operate/sessions.ts';

export const whereFlags = { ...controllerFlags, client: bool('--client', 'Client operation') };

export interface Where {
  readonly client: boolean;
  /** A controller's name. */
  readonly controller?: string;
}
interface Flags {
  readonly client: boolean;
  readonly controller: string;
}

/** Of a command that shows: both, unless one was asked for. Without a current controller the client alone. */
export async function whereToLook(context: CommandContext, flags: Flags): Promise<Where> {
  const said = await whereSaid(context, flags);
  return said ?? { client: true, ...(await currentController(context)) };
}

/**
 * Of a command that changes something: what the flags say; else the answer to a question, where there is a choice.
 * `action` completes `Do you want to …:`. Undefined: nothing was chosen, and that was said.
 */
export async function whereToChange(
  context: CommandContext,
  flags: Flags,
  action: string,
): Promise<Where | undefined> {
  const said = await whereSaid(context, flags);
  if (said) return said;
  const { controller } = await currentController(context);
  if (controller === undefined) return { client: true };
  context.info('This operation can be applied to both a copy on this client and to the one on a controller.');
  context.io.stdout.write(
    `Do you want to ${action}:\n    1. client only (--client)\n    2. controller "${controller}" only (--controller ${controller})\n    3. both (--client --controller ${controller})\nEnter your choice, or type Q|q to quit: `,
  );
  for (;;) {
    const answer = (await context.io.stdin.readLine())?.trim().toLowerCase();
    if (answer === '1') return { client: true };
    if (answer === '2') return { client: false, controller };
    if (answer === '3') return { client: true, controller };
    if (answer === undefined || answer === 'q') {
      context.info('Neither client nor controller specified - nothing to do.');
      return undefined;
    }
    context.info('Invalid choice, enter a number between 1 and 3 or quit Q|q');
  }
}

async function whereSaid(context: CommandContext, flags: Flags): Promise<Where | undefined> {
  if (flags.controller)
    return { client: flags.client, controller: await chooseController(context.client, flags.controller) };
  return flags.client ? { client: true } : undefined;
}

async function currentController(context: CommandContext): Promise<{ controller?: string }> {
  const store = await context.store();
  const known = await store.controllers();
  const name = context.io.env['JUJU_CONTROLLER'] || (await store.currentController());
  return name !== undefined && known[name] ? { controller: name } : {};
}

/** Errors: UsageError. */
export function required(value: string | undefined, usage: string): string {
  if (!value) throw new UsageError(usage);
  return value;
}
