import { readYamlValue } from '../../../kit/yaml/read.ts';
import { notValid } from '../../../core/errors.ts';
import { checkCloudinitUserdata } from '../../../core/model/cloudinit-userdata.ts';
import type { ModelConfig } from '../../../core/model/config.ts';
import type { FirstBoot, Proxies, SystemSettings } from '../../contract/provider.ts';

/**
 * Derives the first boot of machines from a model's merged configuration. `controllers`: as in systemSettingsOf.
 * Errors: as parseCloudinitUserdata.
 */
export function firstBootOf(
  config: ModelConfig,
  controllers: readonly string[] = [],
): Omit<FirstBoot, 'download'> {
  return {
    ...systemSettingsOf(config, controllers),
    upgrade: config['enable-os-upgrade'] !== false,
    custom: parseCloudinitUserdata(textIn(config, 'cloudinit-userdata')),
  };
}

/**
 * Derives the lasting settings of machines from a model's merged configuration. `juju-…` proxies are for agents and
 * charms; apt and snapd use them unless they have their own. `controllers`: `host:port`, always excluded from proxies.
 */
export function systemSettingsOf(config: ModelConfig, controllers: readonly string[]): SystemSettings {
  const text = (key: string): string => textIn(config, key);
  const proxiesOf = (prefix: string): Proxies => {
    const url = (scheme: string): string => text(`${prefix}${scheme}-proxy`);
    const all = { http: url('http'), https: url('https'), ftp: url('ftp') };
    // The default of no-proxy alone does not configure a proxy.
    return { ...all, no: Object.values(all).some(Boolean) ? text(`${prefix}no-proxy`) : '' };
  };
  const legacy = proxiesOf('');
  const direct = controllers.map((address) =>
    address.slice(0, address.lastIndexOf(':')).replaceAll(/[[\]]/g, ''),
  );
  const noProxy = [...new Set([...legacy.no.split(',').map((host) => host.trim()), ...direct])];
  return {
    authorizedKeys: text('authorized-keys')
      .split('\n')
      .map((key) => key.trim())
      .filter((key) => key !== '' && !key.startsWith('#')),
    proxies: legacy.no === '' ? legacy : { ...legacy, no: noProxy.filter(Boolean).join(',') },
    aptProxies: firstOf([proxiesOf('apt-'), proxiesOf('juju-'), legacy], text('apt-no-proxy')),
    snapProxies: firstOf([proxiesOf('snap-'), proxiesOf('juju-'), legacy], ''),
    aptMirror: text('apt-mirror'),
    refresh: config['enable-os-refresh-update'] !== false,
  };
}

function textIn(config: ModelConfig, key: string): string {
  const value = config[key];
  return typeof value === 'string' ? value.trim() : '';
}

/** Parses the setting as YAML in cloud-init's dialect. Errors: JujuError `not valid`. */
export function parseCloudinitUserdata(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  let parsed: unknown;
  try {
    parsed = readYamlValue(text, { dialect: 'juju' });
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    throw notValid(`cloudinit-userdata is not YAML: ${why}`);
  }
  return checkCloudinitUserdata(parsed);
}

/** Returns the first proxy given for each scheme; apt and snapd need a URL scheme before an address. */
function firstOf(choices: readonly Proxies[], noProxy: string): Proxies {
  const first = (key: keyof Proxies): string => choices.map((one) => one[key]).find(Boolean) ?? '';
  const url = (key: keyof Proxies): string => {
    const found = first(key);
    return found === '' || found.includes('://') ? found : `http://${found}`;
  };
  return { http: url('http'), https: url('https'), ftp: url('ftp'), no: noProxy || first('no') };
}
