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
      '\nThere are no models available. You can add models with\n"grigri add-model", or you can ask an administrator or owner\nof a model to grant access to that model with "grigri grant".',
    );
  if (names.length === 1) {
    await store.setCurrentModel(controller, names[0]!);
    return context.info(`\nCurrent model set to "${names[0]}".`);
  }
  const own = `${user}/`;
  const others = names.filter((name) => !name.startsWith(own));
  const shown = [
    ...names.filter((name) => name.startsWith(own)).map((name) => name.slice(own.length)),
    ...others,
  ];
  context.info(
    `\nThere are ${names.length} models available. Use "grigri switch" to select\none of them:\n${shown.map((name) => `  - grigri switch ${name}`).join('\n')}`,
  );
}
