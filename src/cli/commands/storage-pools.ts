import { call, only } from '../../client/calls.ts';
import { command, modelFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { list } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const storagePools = command({
  name: 'storage-pools',
  summary: 'Lists storage pools.',
  details: 'The pools of the model, and each storage provider as a pool of its own name.',
  examples: ['storage-pools', 'storage-pools --format json', 'storage-pools --provider rootfs'],
  seeAlso: ['create-storage-pool', 'remove-storage-pool'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    provider: list('--provider', 'Only show pools of these storage providers'),
    name: list('--name', 'Only show pools with these names'),
  },
  async run(context, { model, format, provider, name }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const filters = [{ names: [...name], providers: [...provider] }];
    const answer = only((await call(connection, 'Storage', 'ListPools', { filters })).results);
    const pools = answer['storage-pools'] ?? [];
    if (pools.length === 0) return context.info('No storage pools to display.');
    const shown = Object.fromEntries(
      pools.map(({ name: pool, provider: type, attrs }) => [
        pool,
        { provider: type, ...(Object.keys(attrs).length > 0 && { attrs }) },
      ]),
    );
    await context.write(
      render(format, shown, {
        tabular: () =>
          formatSections([
            {
              rows: [
                ['Name', 'Provider', 'Attributes'],
                ...pools.map((pool) => [
                  pool.name,
                  pool.provider,
                  Object.entries(pool.attrs)
                    .map(([key, value]) => `${key}=${String(value)}`)
                    .join(' '),
                ]),
              ],
            },
          ]),
      }),
    );
  },
});
