import type { BundleChange } from './map-args.ts';

/** Members of each change in the order in which clients read them by position (wire.md#bundle-changes). */
const positions: Readonly<Record<string, readonly (readonly [member: string, absent: unknown])[]>> = {
  addCharm: [
    ['charm', ''],
    ['series', ''],
    ['channel', ''],
  ],
  addRelation: [
    ['endpoint1', ''],
    ['endpoint2', ''],
  ],
  consumeOffer: [
    ['url', ''],
    ['application-name', ''],
  ],
  createOffer: [
    ['application', ''],
    ['endpoints', []],
    ['offer-name', ''],
  ],
  grantOfferAccess: [
    ['user', ''],
    ['access', ''],
    ['offer', ''],
  ],
  addUnit: [
    ['application', ''],
    ['to', null],
  ],
  deploy: [
    ['charm', ''],
    ['series', ''],
    ['application', ''],
    ['options', {}],
    ['constraints', ''],
    ['storage', {}],
    ['devices', {}],
    ['endpoint-bindings', {}],
    ['resources', {}],
    ['num-units', 0],
    ['channel', ''],
  ],
  expose: [
    ['application', ''],
    ['exposed-endpoints', null],
  ],
  setAnnotations: [
    ['id', ''],
    ['entity-type', ''],
    ['annotations', {}],
  ],
};

/** The arguments of a change by position. */
export function listArgs({ method, args }: BundleChange): unknown[] {
  if (method !== 'addMachines')
    return (positions[method] ?? []).map(([member, absent]) => args[member] ?? absent);
  const { series = '', constraints = '' } = args;
  return [
    { series, constraints, containerType: args['container-type'] ?? '', parentId: args['parent-id'] ?? '' },
  ];
}
