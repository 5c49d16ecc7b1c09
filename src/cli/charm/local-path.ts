import { stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';

/** Resolves the path of a local charm. A bare name is not a path but a charm of Charmhub. */
export async function localPath(context: CommandContext, where: string): Promise<string> {
  const path = resolve(context.io.cwd, where.replace(/^~(?=\/)/, context.io.home).replace(/^local:/, ''));
  const explicit =
    isAbsolute(where) ||
    /^(\.\.?|~|local:)(\/|$)/.test(where) ||
    where.startsWith('local:') ||
    where.endsWith('.charm') ||
    where.includes('/');
  if (explicit && !where.startsWith('ch:')) return path;
  const bare = where.replace(/^ch:/, '');
  if (await stat(path).catch(() => undefined)) {
    throw new JujuError(
      '',
      `the charm or bundle "${where}" is ambiguous: to deploy the local ${basename(path)}, use ./${where}`,
    );
  }
  throw new JujuError(
    'not supported',
    `charm or bundle "${bare}" not found: charms are deployed from a directory or a .charm file (./${bare}); Charmhub is not supported`,
  );
}
