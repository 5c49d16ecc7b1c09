import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { unitApplication } from '../names.ts';
import { sumsOfTellers, toldBy, type ByTeller } from '../relation/told-by.ts';

/** A unit that reads a secret, with the revision that it tracks. Model space; id = `<secret> <unit>`. */
export interface SecretConsumerDoc extends ByTeller {
  /** Id of the secret; for a secret of another model, with that model's UUID (joinSecretKey). */
  readonly secret: string;
  /** Name of the unit; for a unit of another model, the name that this model has for it. */
  readonly unit: string;
  /** The tracked revision: what secret-get returns. */
  readonly current: number;
  /** The unit's own name for the secret; '' = none. */
  readonly label: string;
  /** The revision that secret-changed has told the unit of last. */
  readonly told?: number;
  /**
   * Id of the relation by which a secret of another model is read here, or one of this model is read there; absent =
   * unit and secret are of this model.
   */
  readonly relation?: string;
  /** Newest revision of another model's secret, as that model has told. */
  readonly latest?: number;
}

export function secretConsumerId({ secret, unit }: Pick<SecretConsumerDoc, 'secret' | 'unit'>): string {
  return `${secret} ${unit}`;
}

export const secretConsumer = defineKind<SecretConsumerDoc>()({
  space: 'model',
  idOf: secretConsumerId,
  indexes: {
    secret: (doc) => doc.secret,
    unit: (doc) => doc.unit,
    relation: ({ relation }) => relation,
    toldBy,
    tracks: (doc) => `${doc.secret}/${doc.current}`,
    label: ({ unit, label }) => (label === '' ? undefined : `${unit} ${label}`),
    labelOfAll: ({ unit, label }) => (label === '' ? undefined : `${unitApplication(unit)} ${label}`),
  },
  quota: {
    measures: [{ limit: limits.secretLabel, members: ['label'] }],
    sums: sumsOfTellers(limits.readingsOfConsumer, limits.readingsOfConsumers),
    counts: [
      {
        limit: limits.secretsOfConsumer,
        index: 'unit',
        value: ({ unit }) => unit,
        whose: ({ unit }) => `unit ${unit}`,
      },
    ],
  },
  upkeep: 'old',
});
