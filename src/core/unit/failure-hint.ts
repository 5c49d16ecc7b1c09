/**
 * Causes of failed hooks of public charms that no change of the charm mends, each found by a line that the hook wrote.
 */
const hints: readonly { readonly line: RegExp; readonly hint: string }[] = [
  {
    // Messages of shells, Python and Go about a missing program.
    line: /\bsnap: (?:command )?not found$|: '(?:\/[a-z/]{1,20})?snap'$|"snap": executable file not found/,
    hint: 'its machine has no snapd: charms that install snaps need machines of lxd, or manual ones with snapd',
  },
  {
    line: /RuntimeError: This module is not supported on Debian/,
    hint: 'charmhelpers does not run on Debian: deploy with --base ubuntu@24.04 (on this host first: local-image add ubuntu@24.04)',
  },
];

/** The hint for a line of a failed hook's stderr; undefined for lines that the charm's author understands best. */
export function failureHint(line: string): string | undefined {
  const end = line.trimEnd();
  return hints.find(({ line: pattern }) => pattern.test(end))?.hint;
}
