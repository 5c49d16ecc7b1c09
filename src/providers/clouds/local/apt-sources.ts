/** Package sources of this host's apt, from which roots of other releases are built. */
import { globSync, readFileSync } from 'node:fs';
import { baseOfSeries, type Base } from '../../../core/base.ts';

/** Repository, as in a one-line source. */
interface AptSource {
  readonly uri: string;
  readonly suite: string;
  readonly components: readonly string[];
  readonly enabled: boolean;
}

/**
 * Reads the enabled sources of /etc/apt, then the disabled ones, among which those of other distributions usually are.
 */
export function hostAptSources(): AptSource[] {
  const paths = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}').sort()];
  return parseAptSources(
    paths.flatMap((path) => {
      try {
        return [{ path, text: readFileSync(path, 'utf8') }];
      } catch {
        return [];
      }
    }),
  );
}

/** Parses sources of both formats, distinguished by file name. */
export function parseAptSources(
  files: readonly { readonly path: string; readonly text: string }[],
): AptSource[] {
  const all = files.flatMap(({ path, text }) => (path.endsWith('.sources') ? stanzas(text) : lines(text)));
  return all.toSorted((a, b) => Number(b.enabled) - Number(a.enabled));
}

/**
 * Returns one-line sources of a release, with its updates and security, from the URI of another release of the
 * distribution on this host. Empty when this host has none of the distribution.
 */
export function sourcesOfSuite(
  suite: string,
  distribution: string,
  components: readonly string[],
  host: readonly AptSource[],
): string[] {
  return ['', '-updates', '-security'].flatMap((pocket) => {
    const found = host.find(
      (source) =>
        source.components.includes('main') &&
        source.suite.endsWith(pocket) &&
        distributionOf(source.suite.slice(0, source.suite.length - pocket.length)) === distribution,
    );
    return found ? [`deb ${found.uri} ${suite}${pocket} ${components.join(' ')}`] : [];
  });
}

/** Place where a distribution may be, and the pockets of its releases that would be there. */
interface Beside {
  readonly uri: string;
  readonly pockets: readonly string[];
}

/**
 * Returns places beside the host's own mirrors where the other distribution would be: mirrors with several
 * distributions have each in a folder by its name. Security updates of Debian are in a folder of their own.
 */
export function sourcesBeside(distribution: string, host: readonly AptSource[]): Beside[] {
  const found = new Map<string, Beside>();
  for (const { uri, suite, enabled } of host) {
    const own = distributionOf(suite);
    if (!enabled || own === undefined || own === distribution) continue;
    const [, mirror, folder] = /^(https?:\/\/.*\/)([^/]+)\/*$/.exec(uri) ?? [];
    if (mirror === undefined || folder !== own) continue;
    const pockets = distribution === 'debian' ? ['', '-updates'] : ['', '-updates', '-security'];
    const place = `${mirror}${distribution}`;
    found.set(place, { uri: place, pockets });
  }
  return [...found.values()];
}

/** Returns the distribution of a release, `bookworm` → `debian`; undefined for an unknown one. */
function distributionOf(suite: string): Base['name'] | undefined {
  return baseOfSeries(suite)?.name;
}

/** Parses `deb [option=value …] URI suite component…`. */
function lines(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const [, uri, suite, rest = ''] = /^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line) ?? [];
    if (uri === undefined || suite === undefined) return [];
    return [{ uri, suite, components: words(rest), enabled: true }];
  });
}

/** Parses stanzas of `Field: value`, in which a line that begins with a space continues the previous one. */
function stanzas(text: string): AptSource[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((stanza) => {
      const fields = new Map(
        stanza
          .replace(/\n[ \t]+/g, ' ')
          .split('\n')
          .map((line) => [line.split(':', 1)[0]!.trim().toLowerCase(), line.slice(line.indexOf(':') + 1)]),
      );
      const field = (name: string): string[] => words(fields.get(name) ?? '');
      if (!field('types').includes('deb')) return [];
      const enabled = !['no', 'false', '0'].includes(field('enabled')[0]?.toLowerCase() ?? 'yes');
      return field('uris').flatMap((uri) =>
        field('suites').map((suite) => ({ uri, suite, components: field('components'), enabled })),
      );
    });
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
