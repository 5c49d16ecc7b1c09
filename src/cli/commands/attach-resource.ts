import { call, errorOf } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { attachResource as attach } from '../../operate/deploy/resources.ts';
import { localResource } from '../../operate/files/local-resources.ts';
import { applicationTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { parseResourceFlags } from '../charm/resource-flags.ts';

export const attachResource = command({
  name: 'attach-resource',
  summary: 'Update a resource for an application.',
  usage: '<application> <resource name>=<resource>',
  details: `The resource is a file, whose name has the same extension as the charm declares, or the name of an OCI image. Each unit
of the application runs its upgrade-charm hook when the content is another one, and gets it by resource-get.
refresh --rolling --resource does that in batches.`,
  examples: ['attach-resource mysql dump=./dump.sql.gz', 'attach-resource web image=ubuntu/nginx:latest'],
  seeAlso: ['resources', 'charm-resources', 'deploy'],
  completes: ['application', 'file'],
  flags: { ...modelFlags },
  async run(context, { model }, args) {
    const [application, given, ...moreArgs] = args;
    if (application === undefined) throw new UsageError('missing application name');
    if (given === undefined) throw new UsageError('no resource specified');
    noMoreArgs(moreArgs);
    const [[name, value] = ['', '']] = Object.entries(parseResourceFlags([given], 'name=path format'));
    const session = await context.openModel(model);
    const { results } = await call(session.connection, 'Resources', 'ListResources', {
      entities: [{ tag: applicationTag(application) }],
    });
    const [result] = results;
    if (result?.error) throw errorOf(result.error);
    // Unknown applications and resources are refused by the controller in its own words.
    const known = result?.resources.find((one) => one.name === name);
    try {
      const source = await localResource(context.io, name, known ?? { type: 'oci-image', path: '' }, value);
      await attach(
        context.operator(() => undefined),
        session,
        application,
        source,
      );
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `failed to upload resource "${name}": ${error.message}`, {
        cause: error,
      });
    }
  },
});
