import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';

export const pinger = {
  name: 'Pinger',
  versions: [1],
  on: 'both',
  methods: {
    Ping: { params: shared.noParams, result: shared.noResult },
    Stop: { params: shared.noParams, result: shared.noResult },
  },
} as const satisfies FacadeSpec;
