import type { Proxies } from '../../contract/provider.ts';
import { quoted } from './shell.ts';

/** Returns the proxy variables in lower and upper case; none when there is no proxy. */
export function proxyVariables(proxies: Proxies): Record<string, string> {
  return Object.fromEntries(variables(proxies));
}

/** Returns the shell lines `export http_proxy=…`; '' when there is no proxy. */
export function proxyEnvironment(proxies: Proxies): string {
  return variables(proxies)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
}

/** Returns the systemd configuration that applies to every service; '' when there is no proxy. */
export function proxySystemd(proxies: Proxies): string {
  const words = variables(proxies).map(
    ([name, value]) => `"${name}=${value.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`,
  );
  return words.length === 0 ? '' : `[Manager]\nDefaultEnvironment=${words.join(' ')}\n`;
}

/** Returns the apt configuration; '' when there is no proxy. */
export function aptProxyConf(proxies: Proxies): string {
  const { http, https, ftp } = proxies;
  const lines = Object.entries({ http, https, ftp })
    .filter(([, url]) => url !== '')
    .map(([scheme, url]) => `Acquire::${scheme}::Proxy "${aptText(url)}";\n`);
  if (lines.length === 0) return '';
  const direct = hostsOf(proxies.no)
    .filter((host) => /^[\w.:-]+$/.test(host))
    .flatMap((host) => ['http', 'https'].map((scheme) => `Acquire::${scheme}::Proxy::"${host}" "DIRECT";\n`));
  return [...lines, ...direct].join('');
}

function variables({ http, https, ftp, no }: Proxies): [string, string][] {
  const set = Object.entries({ http_proxy: http, https_proxy: https, ftp_proxy: ftp })
    .filter(([, value]) => value !== '')
    .map(([name, value]): [string, string] => [name, oneLine(value)]);
  if (set.length === 0) return [];
  const all: [string, string][] = no === '' ? set : [...set, ['no_proxy', hostsOf(oneLine(no)).join(',')]];
  return all.flatMap(([name, value]) => [
    [name, value],
    [name.toUpperCase(), value],
  ]);
}

function hostsOf(list: string): string[] {
  return list
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, '');
}

/** Escapes a URL for apt, which has no escapes within quotes. */
function aptText(url: string): string {
  return url.replaceAll(/["\\\s]/g, (character) => encodeURIComponent(character));
}
