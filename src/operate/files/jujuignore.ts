import { globMatcher } from '../../core/glob.ts';

interface Rule {
  /** Each matches one name of the path; `**` any number of them. */
  readonly names: readonly ('**' | ((name: string) => boolean))[];
  readonly onlyFolders: boolean;
  readonly takesBack: boolean;
}

/**
 * What a charm's `.jujuignore` leaves out when it is packed, as git reads its own: a name anywhere, `/name` at the top
 * only, `name/` folders only, `**` any folders, `!` takes back, the last rule that fits decides. Paths are relative, with
 * `/`. Errors: as globMatcher's.
 */
export function ignoreRules(text: string): (path: string, kind: 'folder' | 'file') => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);
  return (path, kind) => {
    const names = path.split('/');
    const last = rules.findLast(
      (rule) => (kind === 'folder' || !rule.onlyFolders) && fits(rule.names, names),
    );
    return last !== undefined && !last.takesBack;
  };
}

function ruleOf(line: string): Rule {
  const takesBack = line.startsWith('!');
  const pattern = takesBack ? line.slice(1) : line;
  const parts = pattern.split('/').filter((part) => part !== '');
  const isAnywhere = parts.length === 1 && !pattern.startsWith('/');
  return {
    names: [...(isAnywhere ? ['**' as const] : []), ...parts.map((p) => (p === '**' ? p : globMatcher(p)))],
    onlyFolders: pattern.endsWith('/'),
    takesBack,
  };
}

/** Only the last `**` is ever tried again, as in globMatcher, so the time is linear in the names. */
function fits(rule: Rule['names'], names: readonly string[]): boolean {
  let [part, at] = [0, 0];
  let [many, from] = [-1, 0];
  while (at < names.length) {
    const next = rule[part];
    if (next === '**') {
      many = part++;
      from = at;
    } else if (next?.(names[at]!)) {
      part++;
      at++;
    } else if (many >= 0) {
      part = many + 1;
      at = ++from;
    } else return false;
  }
  while (rule[part] === '**') part++;
  return part === rule.length;
}
