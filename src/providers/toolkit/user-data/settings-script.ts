/** Applies a model's settings to a running machine, with the same shell functions as at first boot. */
import type { SystemSettings } from '../../contract/provider.ts';
import { isListed } from './custom.ts';
import { accounts, packages, sayings } from './install-parts.ts';
import { aptProxyConf, proxyEnvironment, proxySystemd } from './proxy-files.ts';
import { assignments } from './shell.ts';

/** Values for the functions of install-parts.ts. */
export function settingsValues(settings: Omit<SystemSettings, 'refresh'>): Record<string, string> {
  return {
    KEYS: settings.authorizedKeys.filter(isListed).join('\n'),
    PROXY_ENVIRONMENT: proxyEnvironment(settings.proxies),
    PROXY_SYSTEMD: proxySystemd(settings.proxies),
    APT_PROXIES: aptProxyConf(settings.aptProxies),
    APT_MIRROR: settings.aptMirror,
    SNAP_HTTP_PROXY: settings.snapProxies.http,
    SNAP_HTTPS_PROXY: settings.snapProxies.https,
  };
}

/**
 * Renders a script that runs as root on a machine with a running agent; idempotent. The script reports its steps on
 * stderr, each line prefixed with `juju: `. `account`: the user ubuntu is created where missing.
 * `refreshSeconds`: time limit for refreshing apt's package lists; 0 = no refresh. A failed step is reported and does
 * not stop the others.
 */
export function renderSettingsScript(
  settings: Omit<SystemSettings, 'refresh'>,
  { account, refreshSeconds }: { account: boolean; refreshSeconds: number },
): string {
  return [
    '#!/bin/sh\n',
    assignments({ ...settingsValues(settings), REFRESH_SECONDS: String(refreshSeconds) }),
    sayings,
    accounts,
    packages,
    refreshing,
    account ? '(make_user) || :\n' : '',
    '(sync_keys) || :\n',
    '(set_proxies)\n(set_apt)\n(set_snap)\n',
    refreshSeconds > 0 ? 'refresh_lists\n' : '',
    'rm -rf "$WORK"\n',
  ].join('');
}

const refreshing = String.raw`
post() { :; }
mkdir -p "$JUJU" && (umask 077 && mkdir -p "$WORK") || exit 1

# What was fetched within a day, by whoever made the machine's files, is new enough.
refresh_lists() {
  has apt-get || return 0
  lists=/var/lib/apt/lists
  [ -z "$(find $lists -maxdepth 0 -mtime -1 2>/dev/null)" ] ||
    [ -z "$(find $lists -maxdepth 1 -name '*_Packages*' 2>/dev/null | head -n 1)" ] || return 0
  say 'refreshing package lists'
  timeout "$REFRESH_SECONDS" apt-get update -q -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 \
    -o APT::Update::Error-Mode=any </dev/null >"$WORK/apt" 2>&1
  code=$?
  [ $code != 124 ] || { say "the package lists could not be refreshed within $REFRESH_SECONDS s"; return 0; }
  [ $code = 0 ] || say "the package lists could not all be refreshed: $(grep -E '^(E|W):' "$WORK/apt" | head -n 1)"
}
`;
