import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookHandler } from '../core/unit/hook-log.ts';

type HookProgram =
  | { readonly kind: 'found'; readonly path: string; readonly handler: HookHandler }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly message: string };

/**
 * Finds the charm's `dispatch` when it has one, otherwise the hook's own file. A missing file is a hook that the charm
 * does not implement; a file that cannot be executed is an error of the charm's author, which must be shown.
 */
export async function findHookProgram(charmDir: string, dispatchPath: string): Promise<HookProgram> {
  const dispatch = await usable(join(charmDir, 'dispatch'), 'dispatch');
  return dispatch.kind === 'missing' ? await usable(join(charmDir, dispatchPath), 'own') : dispatch;
}

async function usable(path: string, handler: HookHandler): Promise<HookProgram> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { kind: 'unusable', message: `${path} is a directory` };
    await access(path, constants.X_OK);
    return { kind: 'found', path, handler };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'EACCES') return { kind: 'unusable', message: `${path} is not executable` };
    return { kind: 'unusable', message: `cannot run ${path}: ${code ?? String(error)}` };
  }
}
