/**
 * Does a symlink in a charm leave it? `link` is its own path within the charm, `target` what it says. Upwards first and
 * then down is followed as it reads, since the folders above a link are no links. A `..` after a name is refused: the
 * name may be another link.
 */
export function linkLeadsOut(link: string, target: string): boolean {
  if (target === '' || target.includes('\0') || target.startsWith('/')) return true;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const up = ups < 0 ? parts.length : ups;
  return parts.slice(up).includes('..') || up > link.split('/').length - 1;
}
