import { z } from 'zod';
import { notYet, type FacadeSpec } from '../facade-spec.ts';
import { instanceTypes } from './instance-types.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const destroy = {
  'machine-tags': z.array(z.string()),
  force: z.boolean().exactOptional(),
  keep: z.boolean().exactOptional(),
  /** Maximum wait in nanoseconds. */
  'max-wait': z.int().exactOptional(),
};
const destroyed = {
  'machine-id': z.string(),
  'destroyed-units': listOf(shared.entityResult).optional(),
};
const destroyMachineResult = shared.removalResult({
  ...destroyed,
  /** Containers that are removed with the machine, nested ones included. */
  'destroyed-containers': listOf(shared.removalResult(destroyed)).optional(),
});

/** Hardware; sizes in MiB. */
const hardware = z.object({
  arch: z.string().exactOptional(),
  'availability-zone': z.string().exactOptional(),
  'cpu-cores': z.int().nonnegative().exactOptional(),
  'cpu-power': z.int().nonnegative().exactOptional(),
  mem: z.int().nonnegative().exactOptional(),
  'root-disk': z.int().nonnegative().exactOptional(),
  'root-disk-source': z.string().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  'virt-type': z.string().exactOptional(),
});
const address = z.object({
  value: z.string(),
  type: z.string(),
  scope: z.string(),
  cidr: z.string().exactOptional(),
});

export const machineManager = {
  name: 'MachineManager',
  versions: [9, 10],
  on: 'model',
  notServed: {
    GetUpgradeSeriesMessages: notYet('upgrading the base of machines'),
    UpgradeSeriesComplete: notYet('upgrading the base of machines'),
    UpgradeSeriesPrepare: notYet('upgrading the base of machines'),
    UpgradeSeriesValidate: notYet('upgrading the base of machines'),
    WatchUpgradeSeriesNotifications: notYet('upgrading the base of machines'),
  },
  methods: {
    AddMachines: {
      params: z.object({
        params: z.array(
          z.object({
            base: shared.base.exactOptional(),
            constraints: shared.constraints,
            jobs: z.array(z.string()),
            disks: z.array(z.unknown()).exactOptional(),
            placement: shared.placement.exactOptional(),
            'parent-id': z.string(),
            'container-type': z.string(),
            'instance-id': z.string(),
            nonce: z.string(),
            'hardware-characteristics': hardware.exactOptional(),
            addresses: z.array(address).exactOptional(),
            /** Extension of grigri: annotations that the machine has from the beginning. Not for enlisted machines. */
            annotations: z.record(z.string(), z.string()).exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        machines: listOf(z.strictObject({ machine: z.string(), error: shared.wireError.optional() })),
      }),
    },
    DestroyMachineWithParams: {
      params: z.object({ ...destroy, 'dry-run': z.boolean().exactOptional() }),
      result: z.strictObject({ results: listOf(destroyMachineResult) }),
      older: [{ until: 9, params: z.object(destroy) }],
    },
    InstanceTypes: {
      params: z.object({ constraints: z.array(z.object({ value: shared.constraints.exactOptional() })) }),
      result: instanceTypes,
    },
    ProvisioningScript: {
      params: z.object({
        'machine-id': z.string(),
        nonce: z.string(),
        'data-dir': z.string(),
        'disable-package-commands': z.boolean(),
      }),
      result: z.strictObject({ script: z.string() }),
    },
    RetryProvisioning: {
      params: z.object({ machines: z.array(z.string()).exactOptional(), all: z.boolean() }),
      result: shared.errorResults,
    },
  },
} as const satisfies FacadeSpec;
