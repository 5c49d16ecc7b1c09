/** Variables in YAML: `${NAME}` and `${NAME:-default}` in scalar values, and `$${` for a `${` that is none. */
import { isScalar, Scalar, visit, type Document, type LineCounter } from 'yaml';
import { checkLimit, type Limit } from '../../core/limits.ts';
import { utf8Bytes } from '../../core/json-bytes.ts';

/** The value of a variable; undefined when there is none of that name. */
export type Variables = (name: string) => string | undefined;

const namePattern = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Puts values in place of the variables of a document. A value in quotes stays text; one without is read as if the
 * value had been written there, as a number or truth where it looks like one. Keys have no variables. Errors: plain
 * Error with the line: a variable without a value, or with a name that none has; `quota limit exceeded` when the values
 * together are too long.
 */
export function setVariables(
  document: Document.Parsed | Document,
  { variables, lines, size }: { variables: Variables; lines: LineCounter; size: Limit },
): void {
  let bytes = 0;
  const valueOf = (inner: string, line: number): string => {
    const [, name, fallback] = namePattern.exec(inner) ?? [];
    if (name === undefined)
      throw new Error(
        `"\${${inner.slice(0, 40)}}" is not a variable at line ${line}: write $\${ for a \${ that is to stay`,
      );
    const given = variables(name);
    const value = given === undefined || given === '' ? (fallback ?? given) : given;
    if (value === undefined)
      throw new Error(`the variable ${name} has no value at line ${line}: give it with --var ${name}=…`);
    bytes += utf8Bytes(value);
    checkLimit(size, bytes);
    return value;
  };
  visit(document as Document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const { line } = lines.linePos(node.range?.[0] ?? 0);
      const text = node.value.replace(/\$(\$?)\{([^}]*)\}?/g, (whole, escape: string, inner: string) => {
        if (escape === '$') return whole.slice(1);
        if (!whole.endsWith('}')) throw new Error(`a variable without its } at line ${line}`);
        return valueOf(inner, line);
      });
      node.value = node.type === Scalar.PLAIN ? resolved(document, text) : text;
      // The source is what was written, which the reader of keys and numbers must not see any more.
      delete node.source;
    },
  });
}

/** The text as the document's dialect reads it where it is not in quotes. */
function resolved(document: Document.Parsed | Document, text: string): unknown {
  const tag = document.schema?.tags.find(
    (one) => one.default === true && 'test' in one && one.test?.test(text) === true,
  );
  if (!tag || typeof tag.resolve !== 'function') return text;
  const value: unknown = (tag.resolve as (...args: unknown[]) => unknown)(text, () => undefined, {});
  return isScalar(value) ? value.value : value;
}
