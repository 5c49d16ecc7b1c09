import { globMatcher } from '../../core/glob.ts';

interface Rule {
  /** Matchers of one name of the path each; `**` matches any number of names. */
  readonly names: readonly ('**' | ((name: string) => boolean))[];
  readonly onlyFolders: boolean;
  readonly takesBack: boolean;
}

/**
 * Parses a charm's `.jujuignore`. The returned function tells whether a path is left out of the archive, by git's
 * rules: a plain name matches anywhere, `/name` only at the top, `name/` only folders, `**` any folders; `!` includes
 * again; the last matching rule decides. Paths are relative, with `/`. Errors: those of globMatcher.
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

/** Backtracking is limited to the last `**`, as in globMatcher, so the time is linear in the number of names. */
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
