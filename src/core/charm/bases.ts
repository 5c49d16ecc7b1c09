/** Bases that a charm declares, in any of the four places that successive charm formats use. */
import { baseOfSeries, makeBase, parseBase, sameBase, type Base } from '../base.ts';
import { notValid } from '../errors.ts';
import { isMap, readMap, readText, readTexts, show, type Raw } from './raw.ts';

/**
 * The charm's bases in its own order, without duplicates; empty when it names none. `manifest` is manifest.yaml as
 * parsed (a packed charm has one), `metadata` metadata.yaml or charmcraft.yaml; each may be absent. The manifest wins.
 * Errors: `not valid`.
 */
export function parseBases(manifest: unknown, metadata: unknown): Base[] {
  const packed = fromBases(readMap(manifest, 'manifest')['bases'], 'manifest: bases');
  const raw = readMap(metadata, 'metadata');
  return unique(packed.length > 0 ? packed : [...fromCharmcraft(raw), ...fromSeries(raw)]);
}

function fromBases(value: unknown, path: string): Base[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw notValid(`${path}: expected a list, got ${show(value)}`);
  return value.flatMap((item, i) => {
    if (!isMap(item)) throw notValid(`${path}[${i}]: expected a map, got ${show(item)}`);
    // charmcraft's long form separates the bases that build the charm from those that run it.
    if (item['run-on'] !== undefined) return fromBases(item['run-on'], `${path}[${i}].run-on`);
    return [
      makeBase(
        readText(item['name'], `${path}[${i}].name`),
        readText(item['channel'], `${path}[${i}].channel`),
      ),
    ];
  });
}

/**
 * Bases from `bases:`, from `base: ubuntu@24.04`, or from `platforms:` whose keys or build-for entries begin with a
 * base.
 */
function fromCharmcraft(raw: Raw): Base[] {
  const base = raw['base'];
  if (typeof base === 'string') return [parseBase(base)];
  const platforms = raw['platforms'];
  return [...fromBases(raw['bases'], 'bases'), ...(isMap(platforms) ? fromPlatforms(platforms) : [])];
}

function fromPlatforms(platforms: Raw): Base[] {
  return Object.entries(platforms).flatMap(([name, value]) => {
    const targets = isMap(value) ? [value['build-for']].flat() : [];
    return [name, ...targets]
      .filter((text) => typeof text === 'string' && text.includes('@'))
      .map(platformBase);
  });
}

/** The base of a platform: `ubuntu@24.04:amd64` → ubuntu@24.04. */
function platformBase(platform: unknown): Base {
  return parseBase(String(platform).split(':', 1)[0]!);
}

/** Bases from `series:`. Unknown series are skipped: an old charm lists many, and one known series is enough. */
function fromSeries(raw: Raw): Base[] {
  return readTexts(raw['series'], 'metadata: series').flatMap((name) => baseOfSeries(name) ?? []);
}

function unique(bases: readonly Base[]): Base[] {
  return bases.filter((base, i) => bases.findIndex((other) => sameBase(base, other)) === i);
}
