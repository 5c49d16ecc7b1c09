/** The release of Juju that grigri is compatible with and reports to charms and clients. */
export const jujuVersion = '3.6.28';

const form = /^(\d{1,9})\.(\d{1,9})(?:(?:\.|-([a-z]+))(\d{1,9}))?(?:\.\d{1,9})?$/;

export function isVersion(text: string): boolean {
  return form.test(text);
}

/**
 * Compares two versions; negative when `a` is older. A pre-release (`4.0-beta1`) is older than releases without a tag.
 * Both must be valid versions.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (const [i, part] of left.entries()) if (part !== right[i]) return part < right[i]! ? -1 : 1;
  return 0;
}

function partsOf(text: string): (number | string)[] {
  const [, major, minor, tag, patch] = form.exec(text) ?? [];
  // The placeholder of an absent tag sorts after every tag.
  return [Number(major), Number(minor), tag ?? '~', Number(patch ?? 0)];
}
