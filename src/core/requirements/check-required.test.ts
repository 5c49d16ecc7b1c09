import { describe, expect, test } from 'vitest';
import { parseCharm } from '../charm/parse-charm.ts';
import { checkRequired } from './check-required.ts';

const metaOf = (more: object) =>
  parseCharm({ 'metadata.yaml': { name: 'web', summary: 's', description: 'd', ...more } }).meta;
const web = metaOf({
  requires: { db: { interface: 'mysql' }, cache: { interface: 'kv' } },
  provides: { site: { interface: 'http' } },
});

describe('checkRequired', () => {
  test.each([[[]], [['db']], [['cache', 'db']]])('checkRequired accepts %j', (asked) => {
    expect(() => checkRequired(web, asked)).not.toThrow();
  });

  test.each([
    [web, ['db', 'dbx'], 'charm "web" has no requires endpoint "dbx": it has db, cache'],
    [web, ['site'], 'charm "web" has no requires endpoint "site": it has db, cache'],
    [metaOf({}), ['db'], 'charm "web" has no requires endpoint "db": it has none'],
  ])('checkRequired refuses case %#', (meta, asked, message) => {
    expect(() => checkRequired(meta, asked)).toThrow(expect.objectContaining({ code: 'not valid', message }));
  });
});
