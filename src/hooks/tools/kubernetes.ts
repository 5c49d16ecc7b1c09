import { JujuError } from '../../core/errors.ts';
import type { Flags, Tool } from '../tool.ts';

const file = { kind: 'string', help: 'File with the specification, - for standard input' } as const;
const resources = { kind: 'string', help: 'File with the resources, - for standard input' } as const;

const list: readonly [name: string, purpose: string, flags: Flags][] = [
  ['k8s-raw-get', 'Get raw Kubernetes resources.', {}],
  ['k8s-raw-set', 'Set raw Kubernetes resources.', { file }],
  ['k8s-spec-get', 'Get the Kubernetes specification of the unit.', {}],
  ['k8s-spec-set', 'Set the Kubernetes specification of the unit.', { file, 'k8s-resources': resources }],
  ['pod-spec-get', 'Get the pod specification of the unit.', {}],
  ['pod-spec-set', 'Set the pod specification of the unit.', { file, 'k8s-resources': resources }],
];

/**
 * Tools of charms in Kubernetes: they exist and refuse, as a machine has no pods (hook-tools.md#tools-without-effect).
 */
export const kubernetesTools: readonly Tool[] = list.map(([name, purpose, flags]) => ({
  name,
  args: '',
  purpose,
  flags,
  run: () => {
    throw new JujuError('not supported', `${name} is not supported: this model has machines, no Kubernetes`);
  },
}));
