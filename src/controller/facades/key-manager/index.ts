import { createHash } from 'node:crypto';
import { JujuError } from '../../../core/errors.ts';
import {
  addSshKeys,
  listSshKeys,
  removeSshKeys,
  sshKeysOf,
  type KeysChange,
} from '../../../core/model/ssh-keys.ts';
import type { keyManager as spec } from '../../../wire/facades/key-manager.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { setSshKeys } from '../../transactions/set/set-ssh-keys.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { itemError } from '../shared/bulk.ts';
import { currentModel } from '../shared/model.ts';

export const keyManager: FacadeTable<typeof spec> = {
  AddKeys: {
    needs: 'model-admin',
    blockable: 'change',
    run: (call, params) => change(call, (keys) => addSshKeys(keys, params['ssh-keys'], fingerprint)),
  },
  DeleteKeys: {
    needs: 'model-admin',
    blockable: 'remove',
    run: (call, params) => change(call, (keys) => removeSshKeys(keys, params['ssh-keys'], fingerprints)),
  },
  ImportKeys: { needs: 'model-admin', blockable: 'change', run: importKeys },
  ListKeys: { needs: 'model-read', run: listKeys },
};

async function change(
  call: Call,
  of: (keys: readonly string[]) => KeysChange,
): Promise<ResultOf<typeof spec, 'AddKeys'>> {
  const { uuid } = currentModel(call);
  const errors = await call.store.change((tx) => setSshKeys(tx.in(''), { uuid, change: of }), call.by);
  return { results: errors.map((error) => (error ? { error: itemError(call, error) } : {})) };
}

/** Refuses each import: a controller asks no other service for keys (logging-in.md#model-keys). */
function importKeys(
  call: Call,
  params: ParamsOf<typeof spec, 'ImportKeys'>,
): ResultOf<typeof spec, 'ImportKeys'> {
  return {
    results: params['ssh-keys'].map((name) => ({
      error: itemError(
        call,
        new JujuError(
          'not supported',
          `importing keys of "${name}" not supported: this controller fetches nothing from other services; add the key itself with add-ssh-key`,
        ),
      ),
    })),
  };
}

function listKeys(
  call: Call,
  { entities: { entities }, mode }: ParamsOf<typeof spec, 'ListKeys'>,
): ResultOf<typeof spec, 'ListKeys'> {
  const keys = sshKeysOf(currentModel(call).config['authorized-keys']);
  const listed = listSshKeys(keys, { whole: mode, fingerprint });
  // A long key counts as several entries.
  const entries = listed.reduce((sum, { length }) => sum + Math.ceil(length / 200), 0);
  new AnswerSize().add(entries * entities.length);
  // All keys are the model's, whichever user the request names.
  return { results: entities.map(() => (listed.length > 0 ? { result: listed } : {})) };
}

/** Fingerprints by which a key is removed: the listed one, and the one that ssh-keygen shows by itself. */
function fingerprints(blob: Uint8Array): readonly string[] {
  const sha256 = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return [fingerprint(blob), `SHA256:${sha256}`];
}

/** MD5, as ssh-keygen shows it with -E md5: only a name for the key. */
function fingerprint(blob: Uint8Array): string {
  return createHash('md5')
    .update(blob)
    .digest('hex')
    .replaceAll(/(..)(?=.)/g, '$1:');
}
