import { limits } from '../core/limits.ts';
import { checkContent, type SecretContent } from '../core/secret/content.ts';
import { readSecretUri } from '../core/secret/secret-id.ts';
import { hiddenLengthMin } from '../core/task/hidden.ts';
import { readGiven } from '../kit/given-file.ts';
import { readYamlValue } from '../kit/yaml/read.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { text } from './flags.ts';
import { readText } from './key-values.ts';

export const secretFlags = {
  file: text('--file', 'A YAML file containing secret key values', { completes: 'file' }),
  info: text('--info', 'The secret description'),
};

/**
 * Reads a content of `key=value`, `key#base64=value` and `key#file=path` arguments, or of a file in YAML or JSON, which
 * replaces the arguments. Errors: UsageError, or what is wrong with a file or the content.
 */
export async function readSecretContent(
  context: CommandContext,
  args: readonly string[],
  file: string,
): Promise<SecretContent> {
  const pairs = file === '' ? pairsOf(args) : pairsOfFile(file, await readText(context, file));
  const content: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const [, key = '', form] = /^(.*?)(?:#(base64|file))?$/s.exec(name)!;
    if (form === 'base64') content[key] = value;
    else {
      const bytes =
        form === 'file' ? await readGiven(context.io, value, limits.givenText.max) : Buffer.from(value);
      content[key] = bytes.toString('base64');
    }
  }
  if (pairs.length > 0) checkContent(content);
  return content;
}

/** Says which values of a content that was stored are too short to be hidden (secrets.md#short-values). */
export function warnOfShort(context: CommandContext, content: SecretContent): void {
  const short = Object.keys(content).filter((key) => {
    const { length } = Buffer.from(content[key]!, 'base64').toString();
    return length > 0 && length < hiddenLengthMin;
  });
  if (short.length > 0)
    context.warning(
      `values of fewer than ${hiddenLengthMin} characters are not hidden in logs and statuses: ${short.join(', ')}`,
    );
}

function pairsOf(args: readonly string[]): [string, string][] {
  return args.map((arg) => {
    const equals = arg.indexOf('=');
    if (equals < 1) throw new UsageError(`expected "key=value", got "${arg}"`);
    return [arg.slice(0, equals), arg.slice(equals + 1)];
  });
}

function pairsOfFile(file: string, text: string): [string, string][] {
  const value = readYamlValue(text, { dialect: 'texts' }) ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error(`${file}: expected a map of keys to values`);
  return Object.entries(value).map(([key, one]: [string, unknown]) => {
    if (one !== null && typeof one !== 'string')
      throw new Error(`${file}: the value of "${key}" is not text`);
    return [key, one ?? ''];
  });
}

/** Parses an argument that names a secret, by its URI or its name. */
export function secretOf(argument: string): { readonly uri: string; readonly label: string } {
  const uri = readSecretUri(argument);
  if (uri) return { uri: argument.startsWith('secret:') ? argument : `secret:${argument}`, label: '' };
  if (argument.startsWith('secret:')) throw new UsageError(`secret URI "${argument}" not valid`);
  return { uri: '', label: argument };
}
