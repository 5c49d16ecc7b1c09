import type { FacadeSpec } from '../facade-spec.ts';

/** Ours alone, no Juju has it: what blocks an entity, what a removal would do, what has changed. */
export const lives = {
  name: 'Lives',
  versions: [1],
  on: 'both',
  methods: {},
} as const satisfies FacadeSpec;
