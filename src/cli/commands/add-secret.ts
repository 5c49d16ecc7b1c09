import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { modelTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { readSecretContent, secretFlags, warnOfShort } from '../secret-content.ts';

export const addSecret = command({
  name: 'add-secret',
  summary: 'Adds a new secret.',
  usage: '<name> [key[#base64|#file]=value...]',
  details: `Adds a secret of the model with a list of key values, and prints its URI. A key with the suffix #base64 has
a value that is in base64 already; one with the suffix #file has the path of a file whose content is the value. --file
reads all keys from a YAML or JSON file. Values of fewer than four characters are not hidden in logs.`,
  examples: [
    'add-secret my-apitoken token=34ae35facd4',
    'add-secret my-secret key#base64=AA==',
    'add-secret my-secret key#file=/path/to/file another-key=s3cret',
    'add-secret my-secret --file=/path/to/file',
  ],
  seeAlso: ['grant-secret', 'update-secret', 'secrets'],
  flags: { ...modelFlags, ...secretFlags },
  async run(context, { model, file, info }, [name, ...args]) {
    if (!name) throw new UsageError('missing secret name');
    if (name.includes('=')) throw new UsageError('missing secret name');
    const data = await readSecretContent(context, args, file);
    if (Object.keys(data).length === 0) throw new UsageError('missing secret value or filename');
    const { connection, modelUuid } = await context.openModel(model);
    const { results } = await call(connection, 'Secrets', 'CreateSecrets', {
      args: [
        {
          'owner-tag': modelTag(modelUuid),
          label: name,
          content: { data: { ...data } },
          ...defined({ description: info || undefined }),
        },
      ],
    });
    const { result, error } = results[0]!;
    if (error) throw new Error(error.message);
    await context.write(`${result}\n`);
    warnOfShort(context, data);
  },
});
