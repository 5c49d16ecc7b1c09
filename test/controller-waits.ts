/** Waits for what a controller does in the background. */
import { join } from 'node:path';
import { textOf } from '../src/testing/host-files.ts';
import type { World } from './world.ts';

/** Waits until a model that was migrated has left: until then it cannot come back, nor the controller be destroyed. */
export function untilModelLeft(from: World, model: string): Promise<void> {
  return from.until(
    `model ${model} to have left`,
    async () =>
      !(await from.grigri('models', '-c', from.name, '--format', 'json')).includes(`"admin/${model}"`),
  );
}

/** Waits until the running program is kept: until then the controller writes files of its own among uploads. */
export function untilProgramKept(world: World): Promise<void> {
  return world.until('the program to be kept', () =>
    Promise.resolve(textOf(join(world.controllerDir, 'controller.log')).includes('the program is kept')),
  );
}
