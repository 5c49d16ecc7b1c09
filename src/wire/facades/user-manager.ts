import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { modelUser } from './model-manager.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Results of AddUser and ResetPassword; `secret-key`: 32 bytes in base64, by which the user registers. */
const addUserResults = z.strictObject({
  results: listOf(
    z.strictObject({
      tag: shared.tag.optional(),
      'secret-key': z.string().optional(),
      error: shared.wireError.optional(),
    }),
  ),
});

export const userManager = {
  name: 'UserManager',
  versions: [3],
  on: 'controller',
  methods: {
    /** Adds users; a user without a password gets a key to register. */
    AddUser: {
      params: z.object({
        users: z.array(
          z.object({
            username: z.string(),
            'display-name': z.string(),
            password: z.string().exactOptional(),
          }),
        ),
      }),
      result: addUserResults,
    },
    DisableUser: { params: shared.entities, result: shared.errorResults },
    EnableUser: { params: shared.entities, result: shared.errorResults },
    /** Users of the models that are named. */
    ModelUserInfo: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(z.strictObject({ result: modelUser.optional(), error: shared.wireError.optional() })),
      }),
    },
    RemoveUser: { params: shared.entities, result: shared.errorResults },
    ResetPassword: { params: shared.entities, result: addUserResults },
    SetPassword: {
      params: z.object({ changes: z.array(z.object({ tag: z.string(), password: z.string() })) }),
      result: shared.errorResults,
    },
    /** Describes users; without names all of them. */
    UserInfo: {
      params: z.object({ entities: z.array(shared.entity), 'include-disabled': z.boolean() }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                username: z.string(),
                'display-name': z.string(),
                /** Access to the controller; '' for none. */
                access: z.string(),
                'created-by': z.string(),
                'date-created': shared.time,
                'last-connection': shared.time.optional(),
                disabled: z.boolean(),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
