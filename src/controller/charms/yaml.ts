import { parse } from 'yaml';
import { JujuError } from '../../core/errors.ts';

/** Read as dates or base-60 numbers by YAML 1.1, and as plain texts by Juju. */
const untypical = /:(timestamp|binary|omap|pairs|set)$/;

/**
 * A charm's YAML file, in the dialect that charm authors have always had (`yes` and `on` are booleans).
 * Errors: `bad request` naming the file.
 */
export function parseCharmYaml(text: string, file: string): unknown {
  try {
    return parse(text, {
      version: '1.1',
      merge: true,
      maxAliasCount: 100,
      logLevel: 'error',
      customTags: (tags) =>
        tags.filter(
          (tag) =>
            typeof tag === 'string' ||
            (!untypical.test(tag.tag) && (tag as { format?: string }).format !== 'TIME'),
        ),
    }) as unknown;
  } catch (cause) {
    throw new JujuError('bad request', `${file}: ${(cause as Error).message.split('\n')[0]}`, { cause });
  }
}
