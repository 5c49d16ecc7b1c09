/**
 * Commands of Juju that grigri does not have, and why: commands of 3.6, then commands of earlier versions. Commands of
 * the registry are not looked up here.
 */

const kubernetes = 'models run on machines, not on Kubernetes';
const charmhub = 'charms and bundles come from local files, not from Charmhub';
const terms = 'only charms from Charmhub have terms to agree to';
const dashboard = 'the Juju dashboard is not deployed as an application of the controller';
const hookTools = 'docs/reference/hook-tools.md describes what hooks may call';
const bases = 'a machine keeps its base; add a machine of another base instead';
const branches = 'models have no branches; config and refresh take effect at once';
const metering = 'charms are not metered';
const images = 'the images of machines are those that the cloud has for their base';

/** Returns the reason for a name that Juju itself gave up. */
const now = (name: string): string => `it is now called ${name}`;

const reasons: Readonly<Record<string, string>> = {
  'add-k8s': kubernetes,
  'remove-k8s': kubernetes,
  'update-k8s': kubernetes,
  'scale-application': `${kubernetes}; use add-unit and remove-unit`,
  find: charmhub,
  info: charmhub,
  download: charmhub,
  agree: terms,
  agreements: terms,
  'list-agreements': terms,
  dashboard,
  documentation: 'manual pages come with the program: man grigri',
  'help-action-commands': 'docs/reference/hook-tools.md describes what actions may call',
  'help-hook-commands': hookTools,
  'upgrade-machine': bases,
  metadata: images,
  'cached-images': images,
  'list-cached-images': images,
  'remove-cached-images': images,
  'add-branch': branches,
  abort: branches,
  branch: branches,
  branches: branches,
  commit: branches,
  commits: branches,
  diff: branches,
  'show-commit': branches,
  track: branches,
  'collect-metrics': metering,
  metrics: metering,
  'set-meter-status': metering,
  sla: metering,
  plans: metering,
  'set-plan': metering,
  'create-wallet': metering,
  'show-wallet': metering,
  wallets: metering,
  'cancel-action': now('cancel-task'),
  'get-config': now('config'),
  'get-model-config': now('model-config'),
  gui: dashboard,
  'help-tool': hookTools,
  'hook-tool': hookTools,
  'run-action': now('run'),
  'set-config': now('config'),
  'set-model-config': now('model-config'),
  'set-series': now('set-application-base'),
  'show-action-output': now('show-operation'),
  'show-action-status': now('show-operation'),
  'sync-tools': now('sync-agent-binary'),
  'unset-model-config': now('model-config --reset'),
  'upgrade-juju': now('upgrade-model'),
  'upgrade-series': bases,
};

/** Returns the reason why grigri does not have this command of Juju's; undefined for other words. */
export function refusalOf(name: string): string | undefined {
  return Object.hasOwn(reasons, name) ? reasons[name] : undefined;
}
