import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';

export const trust = command({
  name: 'trust',
  summary: 'Sets the trust status of a deployed application to true.',
  usage: '<application>',
  details: `The hooks of a trusted application may read the credential of the model's cloud, by credential-get. With --remove they
may not any more.`,
  examples: ['trust aws-integrator', 'trust --remove aws-integrator'],
  seeAlso: ['config', 'deploy'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    remove: bool('--remove', 'Remove trusted access from a trusted application'),
    scope: text('--scope', 'Only `cluster`, which Kubernetes models require; machines do not look at it'),
  },
  async run(context, { model, remove, scope }, args) {
    const [application, ...moreArgs] = args;
    if (application === undefined) throw new UsageError('no application name specified');
    noMoreArgs(moreArgs);
    if (scope !== '' && scope !== 'cluster') throw new UsageError(`scope "${scope}" not valid`);
    const { connection } = await context.openModel(model);
    const config = { trust: String(!remove) };
    const { results } = await call(connection, 'Application', 'SetConfigs', {
      Args: [{ application, generation: 'master', config, 'config-yaml': '' }],
    });
    allOk(results, () => application);
  },
});
