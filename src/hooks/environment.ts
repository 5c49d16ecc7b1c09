import { uriOfSecretKey } from '../core/secret/secret-id.ts';
import type { HookContext } from './context.ts';

export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin';

interface EnvironmentParts {
  readonly context: HookContext;
  readonly charmDir: string;
  readonly toolsDir: string;
  readonly socketPath: string;
  readonly contextId: string;
  /** Path of the program in the charm: `hooks/install`, `actions/backup`; '' for exec. */
  readonly dispatchPath: string;
  readonly home: string;
  /** GRIGRI_INSTANCE of the agent's own environment; absent in sandboxes. */
  readonly instance?: string | undefined;
}

/**
 * Returns the complete environment of a hook (hook-tools.md#environment); nothing of the agent's own leaks into it.
 * Empty values are exported too, as charms test them with `set -u`.
 */
export function hookEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { context, charmDir, toolsDir } = parts;
  const { event, proxies } = context;
  const environment: Record<string, string> = {
    JUJU_CHARM_DIR: charmDir,
    CHARM_DIR: charmDir,
    JUJU_CONTEXT_ID: parts.contextId,
    JUJU_AGENT_SOCKET_ADDRESS: parts.socketPath,
    JUJU_AGENT_SOCKET_NETWORK: 'unix',
    JUJU_HOOK_NAME: event.action || event.name === 'juju-exec' ? '' : event.name,
    JUJU_UNIT_NAME: context.unit,
    JUJU_PRINCIPAL_UNIT: context.principal,
    JUJU_MODEL_NAME: context.model.name,
    JUJU_MODEL_UUID: context.model.uuid,
    JUJU_MACHINE_ID: context.machineId,
    JUJU_AVAILABILITY_ZONE: context.availabilityZone,
    JUJU_API_ADDRESSES: context.apiAddresses.join(' '),
    JUJU_VERSION: context.jujuVersion,
    JUJU_SLA: 'unsupported',
    CLOUD_API_VERSION: '',
    JUJU_CHARM_HTTP_PROXY: proxies.http,
    JUJU_CHARM_HTTPS_PROXY: proxies.https,
    JUJU_CHARM_FTP_PROXY: proxies.ftp,
    JUJU_CHARM_NO_PROXY: proxies.no,
    ...context.machineEnvironment,
    PATH: `${toolsDir}:${systemPath}`,
    HOME: parts.home,
    LANG: 'C.UTF-8',
    TERM: 'tmux-256color',
    DEBIAN_FRONTEND: 'noninteractive',
    APT_LISTCHANGES_FRONTEND: 'none',
  };
  if (parts.dispatchPath !== '') environment['JUJU_DISPATCH_PATH'] = parts.dispatchPath;
  // The local provider finds the processes of a machine that is only a set of processes by this variable.
  if (parts.instance !== undefined) environment['GRIGRI_INSTANCE'] = parts.instance;
  if (event.relation) {
    environment['JUJU_RELATION'] = event.relation.endpoint;
    environment['JUJU_RELATION_ID'] = `${event.relation.endpoint}:${event.relation.id}`;
    environment['JUJU_REMOTE_UNIT'] = event.remoteUnit ?? '';
    environment['JUJU_REMOTE_APP'] = event.remoteApplication ?? '';
  }
  if (event.departingUnit !== undefined) environment['JUJU_DEPARTING_UNIT'] = event.departingUnit;
  const storage = context.storages().find(({ id }) => id === event.storage);
  if (storage) {
    environment['JUJU_STORAGE_ID'] = storage.id;
    environment['JUJU_STORAGE_LOCATION'] = storage.location ?? '';
    environment['JUJU_STORAGE_KIND'] = storage.kind;
  }
  if (event.secret) {
    const { id, label, revision } = event.secret;
    environment['JUJU_SECRET_ID'] = uriOfSecretKey(id);
    environment['JUJU_SECRET_LABEL'] = label;
    if (revision !== undefined) environment['JUJU_SECRET_REVISION'] = String(revision);
  }
  if (event.action) {
    environment['JUJU_ACTION_NAME'] = event.action.name;
    environment['JUJU_ACTION_UUID'] = event.action.id;
    environment['JUJU_ACTION_TAG'] = `action-${event.action.id}`;
  }
  return environment;
}
