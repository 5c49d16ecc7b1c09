import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { PayloadStatus } from './payloads.ts';

/** Payloads that a unit has registered. Model space; id = unit name. */
interface PayloadsDoc {
  readonly unit: string;
  /** `<class>/<id>` → payload. */
  readonly payloads: Readonly<Record<string, Payload>>;
}

export interface Payload {
  /** The payload's name in the charm's metadata. */
  readonly class: string;
  readonly id: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly status: PayloadStatus;
}

export const payloads = defineKind<PayloadsDoc>()({
  space: 'model',
  idOf: ({ unit }) => unit,
  isQuiet: () => true,
  quota: {
    name: ({ unit }) => `unit ${unit}`,
    measures: [{ limit: limits.payloads, of: (doc) => doc.payloads }],
  },
  upkeep: 'new',
});
