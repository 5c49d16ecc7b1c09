/**
 * Whether a symlink in a charm may lead out of it. `link` is its own path within the charm, `target` the link's
 * content. A target that goes upwards first and then down is resolved literally, since the folders above a link are no
 * links. A `..` after a name is refused, as the name may be another link.
 */
export function linkLeadsOut(link: string, target: string): boolean {
  if (target === '' || target.includes('\0') || target.startsWith('/')) return true;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const up = ups < 0 ? parts.length : ups;
  return parts.slice(up).includes('..') || up > link.split('/').length - 1;
}
