/** The table of docs/reference/access.md: every facade method, and who may call it. */
import { facades } from '../controller/facades/index.ts';
import type { Needs } from '../controller/facade.ts';

/** Callers, by what they have: a user without access to the model, with each level of it, a superuser, an agent. */
export const roles = ['nobody', 'read', 'write', 'admin', 'superuser', 'agent'] as const;
export type Role = (typeof roles)[number];

/** Who may call the methods that need an access. */
export const may: Readonly<Record<Needs, readonly Role[]>> = {
  anyone: roles,
  login: ['nobody', 'read', 'write', 'admin', 'superuser'],
  'model-read': ['read', 'write', 'admin', 'superuser'],
  'model-write': ['write', 'admin', 'superuser'],
  'model-admin': ['admin', 'superuser'],
  superuser: ['superuser'],
  agent: ['agent'],
};

const begin = '<!-- table: npm run docs:access -->';
const end = '<!-- end of table -->';

/** The page with its table made anew. */
export function withAccessTable(page: string): string {
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end);
  if (from < begin.length || to < from) throw new Error('the page has no table');
  return `${page.slice(0, from)}\n\n${accessTable()}\n\n${page.slice(to)}`;
}

function accessTable(): string {
  const rows = facades.flatMap(({ spec, table }) =>
    Object.entries(table).map(([method, { needs }]) => [
      `\`${spec.name}.${method}\``,
      ...roles.map((role) => (may[needs].includes(role) ? (needs === 'login' ? 'its own' : 'yes') : '')),
    ]),
  );
  rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const header = ['method', ...roles];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
