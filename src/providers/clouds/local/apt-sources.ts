/** Where this host's apt takes its packages from: roots of other releases are made of the same. */
import { globSync, readFileSync } from 'node:fs';
import { baseOfSeries, type Base } from '../../../core/base.ts';

/** One repository, as a one-line source says it. */
export interface AptSource {
  readonly uri: string;
  readonly suite: string;
  readonly components: readonly string[];
  readonly enabled: boolean;
}

/** Those of /etc/apt that are enabled, then those that are not: one of another distribution is best kept so. */
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

/** Of both formats, told apart by the name. */
export function parseAptSources(
  files: readonly { readonly path: string; readonly text: string }[],
): AptSource[] {
  const all = files.flatMap(({ path, text }) => (path.endsWith('.sources') ? stanzas(text) : lines(text)));
  return all.toSorted((a, b) => Number(b.enabled) - Number(a.enabled));
}

/**
 * One-line sources of a release: from where this host has another release of that distribution, and of its updates and
 * security. Empty: it has none of that distribution.
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

/** `bookworm` → `debian`; undefined for what is no release. */
function distributionOf(suite: string): Base['name'] | undefined {
  return baseOfSeries(suite)?.name;
}

/** `deb [option=value …] URI suite component…` */
function lines(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const [, uri, suite, rest = ''] = /^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line) ?? [];
    if (uri === undefined || suite === undefined) return [];
    return [{ uri, suite, components: words(rest), enabled: true }];
  });
}

/** Stanzas of `Field: value`, in which a line that begins with a space continues the one before. */
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
