import { prepareModel } from '../../operate/model-file/prepare-model.ts';
import { command, formatFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { formatPlan } from '../format/plan.ts';
import { render } from '../format/render.ts';
import { planFlags, readFileArgument } from '../model-file.ts';

export const plan = command({
  name: 'plan',
  summary: 'Shows what would make a model what a model file says.',
  usage: '<model file>',
  details: `A model file is a bundle that may also say the model's settings, constraints, access, storage pools and secrets; see
docs/models-as-files.md. The plan says what would be added (+), changed (~), replaced (±) and removed (-), who would wait for
what, and which machines the cloud would be asked for. Nothing is changed.

\${NAME} and \${NAME:-default} in values of the file are variables: of --var, --var-file or the environment.

What the file once made and no longer names is removed only with --prune. An application whose charm has another name can
only be replaced, which --replace allows.

--detailed-exitcode makes the exit code 2 when there is something to change; 0 means nothing, and 1 an error. json and yaml
have the form of docs/reference/plan.md.`,
  examples: [
    'plan ./model.yaml',
    'plan ./model.yaml --overlay production.yaml --var UNITS=3',
    'plan ./model.yaml --prune --detailed-exitcode --format json',
  ],
  seeAlso: ['apply', 'diff', 'export', 'diff-bundle', 'deploy'],
  completes: ['file'],
  flags: {
    ...planFlags,
    ...formatFlags('text', 'json', 'yaml'),
    detailedExitcode: bool('--detailed-exitcode', 'Exit with 2 when there are changes'),
  },
  async run(context, flags, args) {
    const deploy = await readFileArgument(context, flags, args);
    const { document } = await prepareModel(
      context.operator(() => undefined),
      deploy,
    );
    await context.write(render(flags.format, document, { text: () => formatPlan(document) }));
    const differs = document.changes.length + document.refused.length > 0;
    return flags.detailedExitcode && differs ? 2 : 0;
  },
});
