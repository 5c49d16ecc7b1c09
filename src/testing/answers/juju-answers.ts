/**
 * Members of the answers of Juju 3.6's clients' facades, in their newest versions, and how answers differ from them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** Members of an answer by their path, such as `results[].result.name`; true = always there. */
type Members = ReadonlyMap<string, boolean>;

/**
 * Reads the list: a line for each method with its answer's members in brackets, in which `?` marks what may be absent,
 * `[]` a list, `{}` a map, and `!` an error. A plain value has no marks: `Leader (error?! result)`.
 */
export function jujuAnswers(): Map<string, Members> {
  const text = readFileSync(join(import.meta.dirname, 'juju-answers.txt'), 'utf8');
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const space = line.indexOf(' ');
        return [line.slice(0, space), membersOf(line.slice(space + 1))] as const;
      }),
  );
}

function membersOf(text: string): Members {
  const found = new Map<string, boolean>();
  /** Paths of the brackets that are open. */
  const open: string[] = [];
  let path = '';
  for (const token of text.match(/[()]|[^() ]+/g) ?? []) {
    if (token === '(') open.push(path === '' ? '' : `${path}.`);
    else if (token === ')') open.pop();
    else {
      const [, name = '', optional = '', marks = ''] = /^([\w-]+)(\??)(.*)$/.exec(token) ?? [];
      path = `${open.at(-1) ?? ''}${name}`;
      found.set(path, optional === '');
      path += marks;
      if (marks !== '!') continue;
      path = path.slice(0, -1);
      for (const [member, isAlways] of errorMembers) found.set(`${path}.${member}`, isAlways);
    }
  }
  return found;
}

const errorMembers = [
  ['message', true],
  ['code', true],
  ['info', false],
] as const;

/** Returns the members that a schema describes, by their paths. */
export function membersOfSchema(schema: z.core.$ZodType): Members {
  const found = new Map<string, boolean>();
  walk(schema, '', found, 0);
  return found;
}

function walk(schema: z.core.$ZodType, path: string, found: Map<string, boolean>, depth: number): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // No member of an answer is deeper; a lazy schema may be endless.
  if (depth > 25) return;
  switch (def.type) {
    case 'object':
      for (const [name, inner] of Object.entries(def.shape)) {
        const at = path === '' ? name : `${path}.${name}`;
        found.set(at, inner._zod.def.type !== 'optional');
        walk(inner, at, found, depth + 1);
      }
      return;
    case 'array':
      return walk(def.element, `${path}[]`, found, depth + 1);
    case 'tuple':
      for (const item of def.items) walk(item, `${path}[]`, found, depth + 1);
      return;
    case 'record':
      return walk(def.valueType, `${path}{}`, found, depth + 1);
    case 'union':
      for (const option of def.options) walk(option, path, found, depth + 1);
      return;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return walk(def.innerType, path, found, depth + 1);
    case 'pipe':
      return walk(def.in, path, found, depth + 1);
    case 'lazy':
      return walk(def.getter(), path, found, depth + 1);
    default:
  }
}

/**
 * Returns sentences about members that Juju always sends and this schema does not (`-`), and about members that Juju
 * does not have (`+`). Members that either leaves open, such as values of any shape, are not compared.
 */
export function differences(juju: Members, own: Members): string[] {
  const [ofJuju, ofOwn] = [described(juju), described(own)];
  const missing = [...juju].filter(
    ([path, isAlways]) => isAlways && ofOwn.has(parentOf(path)) && !own.get(path),
  );
  const more = [...own.keys()].filter((path) => !juju.has(path) && ofJuju.has(parentOf(path)));
  return [...missing.map(([path]) => `-${path}`), ...more.map((path) => `+${path}`)];
}

/** Returns the paths of objects with named members; the path of the answer itself is ''. */
function described(members: Members): Set<string> {
  return new Set(['', ...[...members.keys()].map(parentOf)]);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}
