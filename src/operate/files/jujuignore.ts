import { globMatcher } from '../../core/glob.ts';

interface Rule {
  /** Matchers of one name of the path each; `**` matches any number of names. */
  readonly names: readonly ('**' | ((name: string) => boolean))[];
  readonly onlyFolders: boolean;
  readonly isNegated: boolean;
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
    const lastMatch = rules.findLast(
      (rule) => (kind === 'folder' || !rule.onlyFolders) && matches(rule.names, names),
    );
    return lastMatch !== undefined && !lastMatch.isNegated;
  };
}

function ruleOf(line: string): Rule {
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const parts = pattern.split('/').filter((part) => part !== '');
  const isAnywhere = parts.length === 1 && !pattern.startsWith('/');
  return {
    names: [...(isAnywhere ? ['**' as const] : []), ...parts.map((p) => (p === '**' ? p : globMatcher(p)))],
    onlyFolders: pattern.endsWith('/'),
    isNegated,
  };
}

/** Backtracking is limited to the last `**`, as in globMatcher, so the time is linear in the number of names. */
function matches(rule: Rule['names'], names: readonly string[]): boolean {
  let [partIndex, nameIndex] = [0, 0];
  let [wildcardIndex, wildcardStart] = [-1, 0];
  while (nameIndex < names.length) {
    const expected = rule[partIndex];
    if (expected === '**') {
      wildcardIndex = partIndex++;
      wildcardStart = nameIndex;
    } else if (expected?.(names[nameIndex]!)) {
      partIndex++;
      nameIndex++;
    } else if (wildcardIndex >= 0) {
      partIndex = wildcardIndex + 1;
      nameIndex = ++wildcardStart;
    } else return false;
  }
  while (rule[partIndex] === '**') partIndex++;
  return partIndex === rule.length;
}
