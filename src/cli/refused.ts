/** Commands of Juju that grigri does not have, and why. A command of the registry is not looked up here. */

const kubernetes = 'models run on machines, not on Kubernetes';
const charmhub = 'charms and bundles come from local files, not from Charmhub';
const terms = 'only charms from Charmhub have terms to agree to';

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
  dashboard: 'the Juju dashboard is not deployed as an application of the controller',
  documentation: 'manual pages come with the program: man grigri',
  'help-action-commands': 'docs/reference/hook-tools.md describes what actions may call',
  'help-hook-commands': 'docs/reference/hook-tools.md describes what hooks may call',
  migrate: 'a model stays on the controller that made it',
  'upgrade-machine': 'a machine keeps its base; add a machine of another base instead',
};

/** The reason why grigri does not have this command of Juju's; undefined for other words. */
export function refusalOf(name: string): string | undefined {
  return Object.hasOwn(reasons, name) ? reasons[name] : undefined;
}
