import type { Entities, Kind } from '../kinds.ts';

/** The change of one document; an absent side means that the document did not exist before, or does not exist after. */
export type PastChange = {
  [P in Kind]: {
    readonly kind: P;
    readonly id: string;
    readonly before: Entities[P] | undefined;
    readonly after: Entities[P] | undefined;
  };
}[Kind];
