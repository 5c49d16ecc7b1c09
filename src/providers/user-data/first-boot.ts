import { readYamlValue } from '../../kit/read-yaml.ts';
import { notValid } from '../../core/errors.ts';
import { checkCloudinitUserdata } from '../../core/model/cloudinit-userdata.ts';
import type { ModelConfig } from '../../core/model/config.ts';
import type { FirstBoot, Proxies } from '../provider.ts';

/**
 * What a model's merged configuration says of its machines' first boot (domain-facts §10.1). Proxies of `juju-…` are for
 * agents and charms; apt takes them, unless it has its own. Errors: as parseCloudinitUserdata.
 */
export function firstBootOf(config: ModelConfig): Omit<FirstBoot, 'download'> {
  const text = (key: string): string => {
    const value = config[key];
    return typeof value === 'string' ? value.trim() : '';
  };
  const proxiesOf = (prefix: string): Proxies => {
    const url = (scheme: string): string => text(`${prefix}${scheme}-proxy`);
    const all = { http: url('http'), https: url('https'), ftp: url('ftp') };
    // Its default alone is no proxy.
    return { ...all, no: Object.values(all).some(Boolean) ? text(`${prefix}no-proxy`) : '' };
  };
  return {
    authorizedKeys: text('authorized-keys')
      .split('\n')
      .map((key) => key.trim())
      .filter((key) => key !== '' && !key.startsWith('#')),
    proxies: proxiesOf(''),
    aptProxies: aptProxies([proxiesOf('apt-'), proxiesOf('juju-'), proxiesOf('')], text('apt-no-proxy')),
    aptMirror: text('apt-mirror'),
    refresh: config['enable-os-refresh-update'] !== false,
    upgrade: config['enable-os-upgrade'] !== false,
    custom: parseCloudinitUserdata(text('cloudinit-userdata')),
  };
}

/** The setting's text, in cloud-init's dialect of YAML. Errors: JujuError `not valid`. */
export function parseCloudinitUserdata(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  let parsed: unknown;
  try {
    parsed = readYamlValue(text, { dialect: 'juju' });
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    throw notValid(`cloudinit-userdata is no YAML: ${why}`);
  }
  return checkCloudinitUserdata(parsed);
}

/** For each scheme the first that there is; apt wants a scheme in front of an address. */
function aptProxies(choices: readonly Proxies[], no: string): Proxies {
  const first = (key: keyof Proxies): string => choices.map((one) => one[key]).find(Boolean) ?? '';
  const url = (key: keyof Proxies): string => {
    const found = first(key);
    return found === '' || found.includes('://') ? found : `http://${found}`;
  };
  return { http: url('http'), https: url('https'), ftp: url('ftp'), no: no || first('no') };
}
