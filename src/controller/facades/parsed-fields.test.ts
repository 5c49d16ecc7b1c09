/**
 * Clients written in Go parse versions, times and tags as they read an answer, and fail as a whole on an invalid text:
 * `invalid version ""`. So the schemas of results, which every answer in the tests is compared with, must refuse the
 * empty text in such members: a missing value is absent, or a zero.
 */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { facades } from './index.ts';

/** Texts that clients print unparsed. */
const free = new Set([
  // Version of a charm, or of its uploader's version control.
  'charm-version',
  'workload-version',
  'version',
  // Version that is empty while there is no newer one.
  'available-version',
]);
/** Members called `version` that are parsed. */
const parsedVersions = new Set(['Controller.ControllerVersion version', 'Client.FullStatus model.version']);
/**
 * Owner of storage, which is empty while the storage is detached, and the machine of an attachment, while its unit has
 * none: clients look before they parse these.
 */
const ofStorage =
  /^Storage\..*owner-tag$|\bstorage\.owner-tag$|^Storage\..*attachments\.machine-tag$|\bstorage\.attachments\.machine-tag$/;
const parsed =
  /(^|-)(version|time|timestamp|since|enqueued|started|completed|finished)$|^last-connection$|-tag$|^tag$/;

/** Members with texts in a result: path → schema. */
function texts(schema: z.ZodType, path: string, seen: Set<z.ZodType>): [string, z.ZodType][] {
  if (seen.has(schema)) return [];
  const within = new Set(seen).add(schema);
  const { def } = schema as unknown as { def: Def };
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, one]) =>
        texts(one, path === '' ? key : `${path}.${key}`, within),
      );
    case 'array':
      return texts(def.element, path, within);
    case 'record':
      return texts(def.valueType, path, within);
    case 'union':
      return def.options.flatMap((one) => texts(one, path, within));
    case 'lazy':
      return texts(def.getter(), path, within);
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'nonoptional':
    case 'default':
      return texts(def.innerType, path, within);
    default:
      return def.type === 'string' ? [[path, schema]] : [];
  }
}
type Def =
  | { type: 'object'; shape: Record<string, z.ZodType> }
  | { type: 'array'; element: z.ZodType }
  | { type: 'record'; valueType: z.ZodType }
  | { type: 'union'; options: z.ZodType[] }
  | { type: 'lazy'; getter: () => z.ZodType }
  | {
      type: 'optional' | 'nullable' | 'readonly' | 'nonoptional' | 'default';
      innerType: z.ZodType;
    }
  | { type: 'string' };

const members = facades
  .filter(({ spec }) => !spec.own)
  .flatMap(({ spec }) =>
    Object.entries(spec.methods).flatMap(([method, { result, older = [] }]) =>
      [result, ...older.flatMap((one) => one.result ?? [])].flatMap((one) =>
        texts(one, '', new Set()).map(([path, schema]) => ({
          name: `${spec.name}.${method} ${path}`,
          last: path.split('.').at(-1)!,
          schema,
        })),
      ),
    ),
  )
  .filter(({ name, last }) => parsed.test(last) && (!free.has(last) || parsedVersions.has(name)))
  .filter(({ name }) => !ofStorage.test(name));

describe('members that clients parse are never empty', () => {
  test('such members are found in the schemas', () => {
    const names = members.map(({ name }) => name);
    expect(names).toContain('Charms.CharmInfo meta.min-juju-version');
    expect(names).toContain('Controller.ControllerVersion version');
    expect(names).toContain('ModelManager.ModelInfo results.result.agent-version');
    expect(names).toContain('ModelManager.ModelInfo results.result.owner-tag');
    expect(names).toContain('Action.Actions results.enqueued');
  });

  test.each(members)('$name', ({ schema }) => {
    expect(schema.safeParse('').success).toBe(false);
  });
});
