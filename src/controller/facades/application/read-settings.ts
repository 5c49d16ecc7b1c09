import { optionsIn, splitTrust } from '../../../core/application/options.ts';
import { isMap } from '../../../core/charm/raw.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { readYamlValue } from '../../../kit/yaml/read.ts';

/**
 * Reads options that a client sends, as a map of texts and as YAML keyed by application; the map wins. Errors: `not
 * valid`.
 */
export function readSettings(
  application: string,
  texts: Readonly<Record<string, string>>,
  yaml: string,
): ReturnType<typeof splitTrust> {
  return splitTrust({ ...settingsOf(application, yaml), ...texts });
}

function settingsOf(application: string, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let document: unknown;
  try {
    document = readYamlValue(text, { dialect: 'juju' });
  } catch (cause) {
    if (cause instanceof JujuError) throw cause;
    throw new JujuError('not valid', `cannot parse settings data: ${(cause as Error).message}`, { cause });
  }
  if (!isMap(document)) throw notValid('cannot parse settings data: expected a map');
  const options = optionsIn(document, application);
  if (!options) throw notValid(`no settings found for "${application}"`);
  return options;
}
