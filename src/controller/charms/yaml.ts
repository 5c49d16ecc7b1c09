import { isScalar, parseDocument, visit } from 'yaml';
import { JujuError } from '../../core/errors.ts';

/** Read as dates or base-60 numbers by YAML 1.1, and as plain texts by Juju. */
const untypical = /:(timestamp|binary|omap|pairs|set)$/;

/**
 * A charm's YAML file, in the dialect that charm authors have always had: `yes` and `on` are booleans, but a name
 * before a colon is a text, also where it is `n` or `on`. Errors: `bad request` naming the file.
 */
export function parseCharmYaml(text: string, file: string): unknown {
  try {
    const document = parseDocument(text, {
      version: '1.1',
      merge: true,
      logLevel: 'error',
      customTags: (tags) =>
        tags.filter(
          (tag) =>
            typeof tag === 'string' ||
            (!untypical.test(tag.tag) && (tag as { format?: string }).format !== 'TIME'),
        ),
    });
    if (document.errors[0]) throw document.errors[0];
    visit(document, {
      Pair(_, { key }) {
        if (isScalar(key) && typeof key.value !== 'string' && key.source !== undefined)
          key.value = key.source;
      },
    });
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    throw new JujuError('bad request', `${file}: ${(cause as Error).message.split('\n')[0]}`, { cause });
  }
}
