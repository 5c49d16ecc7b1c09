import { stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import { pathOf } from '../../kit/given-file.ts';
import type { CommandContext } from '../context.ts';

/** Whether the text is the URL of a charm that the model has, `local:mysql-2`, and not a path: `local:./mysql`. */
export function isCharmUrl(charm: string): boolean {
  return /^local:(?![./~])/.test(charm);
}

/** Whether the text is the name of a charm of Charmhub, `mysql` or `ch:mysql`, and not a path. */
export function isCharmhubName(charm: string): boolean {
  const isPath =
    isAbsolute(charm) ||
    /^(local:)?(\.\.?|~)(\/|$)/.test(charm) ||
    charm.endsWith('.charm') ||
    charm.includes('/');
  return !isPath || charm.startsWith('ch:');
}

/** Resolves the path of a local charm. A bare name is not a path but a charm of Charmhub. */
export async function localPath(context: CommandContext, charmPath: string): Promise<string> {
  const path = pathOf(context.io, charmPath.replace(/^local:/, ''));
  if (!isCharmhubName(charmPath)) return path;
  const bareName = charmPath.replace(/^ch:/, '');
  if (await stat(path).catch(() => undefined)) {
    throw new JujuError(
      '',
      `the charm or bundle "${charmPath}" is ambiguous: to deploy the local ${basename(path)}, use ./${charmPath}`,
    );
  }
  throw new JujuError(
    'not supported',
    `charm or bundle "${bareName}" not found: charms are deployed from a directory or a .charm file (./${bareName}); Charmhub is not supported`,
  );
}
