import {
  ProviderError,
  type AgentDelivery,
  type FirstBoot,
  type StartParams,
} from '../../contract/provider.ts';
import { agentCommand, agentServiceName, agentUnit, machineTag } from './agent-service.ts';
import { customOf, isListed } from './custom.ts';
import { download, requestPython, requests, service } from './delivery-parts.ts';
import { accounts, packages, sayings } from './install-parts.ts';
import { removalScript } from './removal.ts';
import { settingsValues } from './settings-script.ts';
import { assignments, quoted } from './shell.ts';
import { initScript, supervisor } from './supervisor.ts';

/**
 * Parameters of the script. Without `agent`, the instance is for a controller and gets only users, keys, packages and
 * its nonce.
 */
export type UserDataParams = Pick<StartParams, 'machineId' | 'nonce' | 'base'> & {
  readonly boot: FirstBoot;
  readonly agent?: AgentDelivery;
  /** Time in seconds after which the download fails, with each address tried at least once; absent = no limit. */
  readonly downloadSeconds?: number;
};

/**
 * Renders the script of a machine's first boot, which runs as root in any POSIX shell; idempotent. The script contains
 * the agent's first password. `arch`: architecture of the instance. Errors: as AgentDownload.bundle.
 */
export async function renderInstallScript(params: UserDataParams, arch: string): Promise<string> {
  const { boot, agent, nonce } = params;
  const { packages: extraPackages, before, after, refresh, upgrade } = customOf(boot);
  const flag = (value: boolean): string => (value ? 'yes' : '');
  return [
    '#!/bin/sh\n# Written by grigri: makes this computer a machine of a model. May be run again.\n',
    assignments({
      NONCE: nonce,
      ...settingsValues(boot),
      ENLISTERS_KEYS: (boot.enlistersKeys ?? []).filter(isListed).join('\n'),
      REFRESH: flag(refresh),
      UPGRADE: flag(upgrade),
      PACKAGES: extraPackages.join('\n'),
      CHANGED: '',
      ...(agent ? await delivered(params, agent, arch) : { ADDRESSES: '' }),
    }),
    sayings,
    accounts,
    packages,
    requests,
    ...(agent ? [download, service] : []),
    functionOf('before', before),
    functionOf('after', after),
    agent ? machineSteps : controllerSteps,
  ].join('');
}

async function delivered(
  { machineId, nonce, boot, downloadSeconds }: UserDataParams,
  agent: AgentDelivery,
  arch: string,
): Promise<Record<string, string>> {
  if (!boot.download) throw new ProviderError('bad request', 'no source of the agent is given');
  const { addresses, caCert, path } = boot.download;
  const { sha256 } = await boot.download.bundle(arch);
  const tag = machineTag(machineId);
  const name = agentServiceName(machineId);
  const logFile = `/var/log/juju/${tag}.log`;
  const command = agentCommand(machineId, `${agent.dataDir}/tools/${tag}`, agent.dataDir);
  return {
    ADDRESSES: addresses.join(' '),
    CA_CERT: caCert,
    DOWNLOAD_SECONDS: String(downloadSeconds ?? ''),
    CURL_CONFIG: curlConfig,
    REQUEST_PY: requestPython,
    NONCE_HEADER: nonce.replaceAll(/["\\\r\n]/g, ''),
    BUNDLE_PATH: `${path}${arch}`,
    BOOT_PATH: `${path.slice(0, path.indexOf('/tools/'))}/machine/${tag.slice('machine-'.length)}/boot`,
    SHA256: sha256,
    TOOLS: `${agent.version}-ubuntu-${arch}`,
    TAG: tag,
    CONF: `${agent.dataDir}/agents/${tag}/agent.conf`,
    AGENT_CONF: agent.agentConf,
    SERVICE: name,
    UNIT: agentUnit(machineId, command, logFile),
    SUPERVISOR: supervisor(command, logFile),
    INIT_SCRIPT: initScript(name),
    REMOVAL: removalScript(),
  };
}

const curlConfig = `silent
show-error
fail
noproxy = "*"
connect-timeout = 20
cacert = "/var/lib/juju/first-boot/ca.pem"
`;

function functionOf(name: string, commands: readonly string[]): string {
  return `\n${name}() {\n${commands.map((command) => `  custom ${quoted(command)}\n`).join('')}  :\n}\n`;
}

/** Logins come first, so that later failures can be examined on the machine. */
const begin = String.raw`
prepare
before
make_user
sync_keys
add_keys "$ENLISTERS_KEYS"
put "$JUJU/nonce.txt" 0644 "$NONCE"
chown ubuntu: "$JUJU/locks"
`;

const machineSteps = String.raw`${begin}reach
write_conf
credentials
set_proxies
set_apt
set_snap
add_packages
fetch_agent
start_agent
after
rm -rf "$WORK"
`;

const controllerSteps = String.raw`${begin}set_proxies
set_apt
set_snap
add_packages
after
rm -rf "$WORK"
`;
