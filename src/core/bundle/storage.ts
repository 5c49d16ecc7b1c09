/** Storage directives in bundles (storage.md#directives), in the form that --storage has. */
import type { ApplicationDoc } from '../application/document.ts';
import { notValid } from '../errors.ts';
import { compareNames } from '../names.ts';
import { formatDirective, parseDirective, type StorageDirective } from '../storage/directive.ts';
import type { BundleApplication } from './bundle.ts';
import { ownValue } from './own.ts';
import { asText, expected, type Section } from './section.ts';

type Directives = NonNullable<BundleApplication['storage']>;

export function parseStorage(section: Section): Pick<BundleApplication, 'storage'> {
  const found = section.keys().flatMap((name): [string, StorageDirective][] => {
    const value = section.given(name);
    if (value === undefined) return [];
    const directive = section.attempt(() => {
      const text = asText(value);
      if (text === undefined) throw notValid(expected('a directive such as local,2,10G', value));
      return parseDirective(text, name);
    }, name);
    return directive ? [[name, directive]] : [];
  });
  return found.length === 0 ? {} : { storage: Object.fromEntries(found) };
}

/** The directives of an application, without storage that its units do not get. */
export function storageOf({ storage = {} }: ApplicationDoc): Pick<BundleApplication, 'storage'> {
  const wanted = Object.entries(storage)
    .filter(([, { count }]) => count > 0)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([name, { pool, size, count }]) => [name, { pool, size, count }] as const);
  return wanted.length === 0 ? {} : { storage: Object.fromEntries(wanted) };
}

export function formatStorage(storage: Directives = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(storage)
      .sort(([a], [b]) => compareNames(a, b))
      .map(([name, directive]) => [name, formatDirective(directive)]),
  );
}

/** The storage whose directive in the bundle says something that is otherwise in the model: name → directive. */
export function differentStorage(wanted: Directives = {}, has: Directives = {}): Directives {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, directive]) => {
      const there = ownValue(has, name);
      return (['pool', 'size', 'count'] as const).some(
        (part) => directive[part] !== undefined && directive[part] !== there?.[part],
      );
    }),
  );
}
