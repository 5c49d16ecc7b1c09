import type { Base } from '../base.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';
import type { ActionSpec, CharmMeta, ConfigOption } from './metadata.ts';

/** A charm. Model space; id = charm URL (`local:mysql-0`). The archive is a blob. */
export interface CharmDoc {
  readonly url: string;
  readonly name: string;
  readonly revision: number;
  readonly sha256: string;
  readonly size: number;
  /** First line of the charm's `version` file. */
  readonly version: string;
  readonly meta: CharmMeta;
  readonly config: Readonly<Record<string, ConfigOption>>;
  readonly actions: Readonly<Record<string, ActionSpec>>;
  readonly bases: readonly Base[];
  /** The charm's `lxd-profile.yaml`; a deploy without force has refused what a charm may not ask for. */
  readonly lxdProfile?: LxdProfile;
  readonly uploadedAt: string;
}

/** Settings and devices that a charm requests for the LXD instances of its units. */
export interface LxdProfile {
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const charm = defineKind<CharmDoc>()({
  space: 'model',
  idOf: ({ url }) => url,
  indexes: { name: (doc) => doc.name, sha256: (doc) => doc.sha256 },
  quota: {
    measures: [{ limit: limits.charmRecord, members: ['meta', 'config', 'actions'] }],
    counts: [{ limit: limits.charms, ...ofModel }],
  },
  describe: (before, after, { id }) =>
    before && after
      ? []
      : [{ subject: `charm ${id}`, what: after ? 'added' : 'removed', detail: '', about: [] }],
});
