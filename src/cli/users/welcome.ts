import { refreshModels } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';

/** Prints who is logged in, and which models there are; a single model becomes the current one. */
export async function welcome(context: CommandContext, controller: string, user: string): Promise<void> {
  const store = await context.store();
  context.info(`Welcome, ${user}. You are now logged into "${controller}".`);
  const names = Object.keys(await refreshModels(context.client, controller)).sort();
  const current = await store.currentModel(controller);
  if (current !== undefined) return;
  if (names.length === 0)
    return context.info(
      '\nThere are no models available. Add one with "grigri add-model", or ask an admin of a model for access\nto it, by "grigri grant".',
    );
  if (names.length === 1) {
    await store.setCurrentModel(controller, names[0]!);
    return context.info(`\nCurrent model set to "${names[0]}".`);
  }
  context.info(
    `\nThere are ${names.length} models available. Use "grigri switch" to select one of them:\n${names.map((name) => `  - ${name}`).join('\n')}`,
  );
}
