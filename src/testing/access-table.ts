/** Table of docs/reference/access.md: every facade method, and who may call it. */
import { facades } from '../controller/facades/index.ts';
import type { Needs } from '../controller/facade.ts';
import { code, markdownTable, withGenerated } from './generated.ts';

/**
 * Callers, by what they have: a user without access to the model, with each level of it, a superuser, an agent, another
 * controller.
 */
export const roles = ['nobody', 'read', 'write', 'admin', 'superuser', 'agent', 'controller'] as const;
export type Role = (typeof roles)[number];

/** Roles that may call the methods that need an access. */
export const may: Readonly<Record<Needs, readonly Role[]>> = {
  anyone: roles,
  login: ['nobody', 'read', 'write', 'admin', 'superuser'],
  'model-read': ['read', 'write', 'admin', 'superuser'],
  'model-write': ['write', 'admin', 'superuser'],
  'model-admin': ['admin', 'superuser'],
  superuser: ['superuser'],
  agent: ['agent'],
  anonymous: ['controller'],
};

/** Returns the page with its table made anew. Errors: when the page has no place for the table. */
export function withAccessTable(page: string): string {
  return withGenerated(page, 'access', accessTable());
}

function accessTable(): string {
  const rows = facades.flatMap(({ spec, table }) =>
    Object.entries(table).map(([method, { needs }]) => [
      code(`${spec.name}.${method}`),
      ...roles.map((role) =>
        may[needs].includes(role) ? (needs === 'login' || needs === 'anonymous' ? 'its own' : 'yes') : '',
      ),
    ]),
  );
  rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return markdownTable(['method', ...roles], rows);
}
