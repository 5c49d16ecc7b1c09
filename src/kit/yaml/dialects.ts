import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions } from 'yaml';

/**
 * How plain scalars are read. `1.2`: as YAML 1.2 has it. `juju`: as charm authors have always had it: `yes` and `on` are
 * booleans, `017` and `0o17` are 15, but dates, `12:30:00` and `01182252` are texts, and a name before a colon is
 * always one; `!!binary` is the text that it holds. `texts`: all but null is the text that stands there.
 */
export type Dialect = '1.2' | 'juju' | 'texts';

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** A number that is no octal, and that no author of a serial number or a password means. */
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

/** Read as dates, base-60 numbers and maps of their own kinds by YAML 1.1, but not by Juju. */
const untypical = /:(timestamp|binary|omap|pairs|set)$/;

export const dialects: Readonly<Record<Dialect, Options>> = {
  '1.2': { merge: true },
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
  texts: { schema: 'failsafe', customTags: [nothing] },
};
