import { defineKind } from '../kind.ts';
import type { ResourceDoc } from '../resource/document.ts';

/** Resources that a unit has on its machine, as they were when it got them. Model space; id = unit name. */
interface UnitResourcesDoc {
  readonly unit: string;
  /** Resource name → content. */
  readonly resources: Readonly<Record<string, UnitResource>>;
}

type UnitResource = Pick<
  ResourceDoc,
  'origin' | 'revision' | 'fingerprint' | 'size' | 'username' | 'timestamp'
>;

export const unitResources = defineKind<UnitResourcesDoc>()({
  space: 'model',
  idOf: ({ unit }) => unit,
  isQuiet: () => true,
  upkeep: 'new',
});
