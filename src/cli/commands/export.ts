import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileOf } from '../../core/model-file/file-of.ts';
import { formatModelFile } from '../../core/model-file/format-model-file.ts';
import { modelName } from '../../operate/model-file/prepare-model.ts';
import { readLive } from '../../operate/model-file/read-live.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';

export const exportModel = command({
  name: 'export',
  summary: 'Exports the current model as a model file.',
  details: `The file has all that a bundle of the model has, and the settings and constraints that were set, users' access, storage
pools, and secrets with who may read them. It has no contents of secrets, and charms are named as the model has them
(local:mysql-0). The plan of the file is empty until the model or the file is changed.`,
  examples: ['export', 'export --as model.yaml'],
  seeAlso: ['plan', 'diff', 'export-bundle'],
  flags: { ...modelFlags, as: text('--as', 'Write the model file here', { completes: 'file' }) },
  async run(context, flags, args) {
    noMoreArgs(args);
    const session = await context.openModel(flags.model);
    const name = modelName(session.model);
    const openController = (controller: string) => context.openController(controller);
    const { live } = await readLive({ session, openController }, name);
    const content = toYaml(formatModelFile(fileOf(live, name)));
    if (!flags.as) return context.write(content);
    await writeFile(resolve(context.io.cwd, flags.as), content);
    await context.write(`Model successfully exported to ${flags.as}\n`);
  },
});
