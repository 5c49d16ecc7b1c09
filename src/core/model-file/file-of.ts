import type { LiveModel } from './plan.ts';
import type { ModelFile } from './model-file.ts';

/**
 * The file that would make the model: what was set or made, without the contents of secrets. The plan of it has no
 * steps.
 */
export function fileOf(live: Omit<LiveModel, 'owned'>, name: string): ModelFile {
  const { bundle, settings, constraints, access, secrets, storagePools } = live;
  return {
    bundle: { name, ...bundle.state },
    unscaled: new Set(),
    settings,
    ...(Object.keys(constraints).length > 0 ? { constraints } : {}),
    access,
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([secret, { description, grants }]) => [secret, { description, grants }]),
    ),
    storagePools,
  };
}
