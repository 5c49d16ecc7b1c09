import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions } from 'yaml';

/**
 * Dialects of plain scalars. `1.2`: as in YAML 1.2. `juju`: as charm authors expect: `yes` and `on` are booleans, `017`
 * and `0o17` are 15, but dates, `12:30:00` and `01182252` are texts, and a name before a colon is always a text.
 * `texts`: everything but null is text. In all of them `!!binary` is decoded to text, as go-yaml does.
 */
export type Dialect = '1.2' | 'juju' | 'texts';

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** A number with a leading zero that is not octal; authors mean a serial number or a password by it. */
const leadingZero: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^[-+]?0[0-7]*[89][0-9]*$/,
  resolve: (text) => text,
};

const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => (text.startsWith('-') ? -1 : 1) * Number.parseInt(text.replace(/^[-+]?0o/, ''), 8),
};

const binary: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve(text, onError) {
    const packed = text.replaceAll(/[\r\n]/g, '');
    if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed))
      return onError('!!binary value contains invalid base64 data');
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  },
};

const nothing: ScalarTag = {
  tag: 'tag:yaml.org,2002:null',
  default: true,
  test: /^(?:~|[Nn]ull|NULL)?$/,
  resolve: () => null,
};

/** Scalars that YAML 1.1 reads as dates, base-60 numbers and special maps, but Juju does not. */
const untypical = /:(timestamp|binary|omap|pairs|set)$/;

export const dialects: Readonly<Record<Dialect, Options>> = {
  '1.2': { merge: true, customTags: (tags) => [binary, ...tags] },
  juju: {
    version: '1.1',
    merge: true,
    customTags: (tags) => [
      leadingZero,
      octal,
      binary,
      ...tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (!untypical.test(tag.tag) && (tag as { format?: string }).format !== 'TIME'),
      ),
    ],
  },
  texts: { schema: 'failsafe', customTags: [nothing, binary] },
};
