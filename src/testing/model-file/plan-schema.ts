/** The schema of a plan's document, which its reference has and tests hold it to. */
import { z } from 'zod';
import { changeActions, changeKinds } from '../../core/model-file/changes.ts';
import { leftKinds } from '../../core/model-file/revert/past-model.ts';
import { removalPlan } from '../../wire/facades/removal-plan.ts';
import { withGenerated } from '../generated.ts';

const text = z.string();
const count = z.int().nonnegative();

const change = z.object({
  action: z.enum(changeActions).describe('What happens to the entity.'),
  kind: z.enum(changeKinds),
  name: text.describe(
    'Its name: of a relation both ends (`blog:db mysql:db`); of a machine that is made `new`, and the number in the file or what it is for.',
  ),
  why: text.exactOptional().describe('Why it is replaced, and what consumers of an offer lose by that.'),
  values: z
    .record(text, z.object({ from: z.unknown().exactOptional(), to: z.unknown().exactOptional() }))
    .exactOptional()
    .describe(
      'What changes of it, such as `options.port`; `from` or `to` is absent where there is no value.',
    ),
});

export const planSchema = z
  .object({
    format: z
      .literal(1)
      .describe('Version of this form: it changes when a member goes or means something else.'),
    model: text.describe('The model with its owner: `admin/shop`.'),
    file: text.describe('The name under which the model remembers what the file made.'),
    revision: count.describe('The revision of the model for which the plan was made.'),
    applicable: z.boolean().describe('Whether nothing is refused.'),
    summary: z
      .object({ add: count, change: count, replace: count, remove: count })
      .describe('Numbers of changes.'),
    changes: z.array(change).describe('What would be done, each entity once.'),
    unpruned: z.array(change).describe('What the file made and no longer names, which --prune would remove.'),
    differences: z
      .array(
        z.object({
          application: text.exactOptional(),
          machine: text
            .exactOptional()
            .describe('A machine of the model, for what differs of one of the file.'),
          of: z.enum(['charm', 'base', 'units', 'storage', 'require', 'placement', 'constraints']),
          text,
        }),
      )
      .describe('What stays different, in words.'),
    refused: z
      .array(
        z.object({
          application: text,
          offer: text
            .exactOptional()
            .describe('Set for an offer that would have to be made anew for the application.'),
          why: text,
        }),
      )
      .describe('What would have to be replaced, which --replace does not allow.'),
    removal: removalPlan
      .exactOptional()
      .describe(
        'What the removals would take along, keep and wait for, as with remove-application --dry-run.',
      ),
    revert: z
      .object({
        revision: count.describe('The revision that the model is returned to.'),
        time: text.describe("Its time; '' = the oldest that is known."),
        only: z.array(text).exactOptional().describe('The applications that alone are reverted.'),
        left: z
          .array(z.object({ kind: z.enum(leftKinds), name: text, text }))
          .describe('What stays other than it was, in words.'),
      })
      .exactOptional()
      .describe('Set for a plan of revert.'),
    waits: z
      .array(z.object({ application: text, for: z.array(text) }))
      .describe('Applications of the file that wait after all changes, and for what.'),
    machines: z
      .array(
        z.object({
          for: text.describe('A unit, or `machine` and the number in the file.'),
          base: text.exactOptional().describe("Absent = the model's default."),
          constraints: text.describe("Constraints over those of the model, as text; '' = none."),
          container: z.object({ type: text, on: text }).exactOptional().describe('Set for a container.'),
          directive: text
            .exactOptional()
            .describe(
              "The cloud's directive, such as `zone=z1`; absent: new machines are spread over the zones.",
            ),
          waits: z.boolean().describe('Whether it is asked for only when the application no longer waits.'),
        }),
      )
      .describe('Machines that the cloud, or a host, would be asked for.'),
  })
  .describe('A plan of a model file');

/** Returns the page with the schema as JSON Schema. */
export function withPlanSchema(page: string): string {
  const schema = JSON.stringify(z.toJSONSchema(planSchema, { io: 'input' }), undefined, 2);
  return withGenerated(page, 'plan', `\`\`\`json\n${schema}\n\`\`\``);
}
