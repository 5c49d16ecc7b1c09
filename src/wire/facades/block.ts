import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Type of a block: BlockDestroy, BlockRemove or BlockChange. */
const type = z.string();

export const block = {
  name: 'Block',
  versions: [2],
  on: 'model',
  methods: {
    List: {
      params: shared.noParams,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z.strictObject({
              id: z.string(),
              tag: shared.tag,
              type,
              message: z.string().optional(),
            }),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    SwitchBlockOff: { params: z.object({ type }), result: shared.errorResult },
    /** Switches the block on; a block that is on gets the new message. */
    SwitchBlockOn: {
      params: z.object({ type, message: z.string().exactOptional() }),
      result: shared.errorResult,
    },
  },
} as const satisfies FacadeSpec;
