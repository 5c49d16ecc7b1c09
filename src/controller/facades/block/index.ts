import { blockTypes, type BlockType } from '../../../core/block/blocks.ts';
import { defined } from '../../../core/defined.ts';
import { notValid } from '../../../core/errors.ts';
import type { block as spec } from '../../../wire/facades/block.ts';
import { modelTag } from '../../../wire/tags.ts';
import type { Call, FacadeTable, ResultOf } from '../../facade.ts';
import { switchBlockOff, switchBlockOn } from '../../transactions/set/switch-block.ts';
import { blocksOf } from '../../transactions/shared/blocks.ts';
import { changeModel } from '../shared/change-model.ts';

export const block = {
  List: { needs: 'model-read', run: list },
  SwitchBlockOff: {
    needs: 'model-write',
    blockable: 'never',
    run: async (call, params) => {
      const type = blockType(params.type);
      await changeModel(call, (tx) => switchBlockOff(tx, { type }));
      return {};
    },
  },
  SwitchBlockOn: {
    needs: 'model-write',
    blockable: 'never',
    run: async (call, { message = '', ...params }) => {
      const type = blockType(params.type);
      await changeModel(call, (tx) => switchBlockOn(tx, { type, message }));
      return {};
    },
  },
} satisfies FacadeTable<typeof spec>;

function list(call: Call): ResultOf<typeof spec, 'List'> {
  const tag = modelTag(call.modelUuid);
  return {
    results: blocksOf(call.read()).map(({ type, number, message }) => ({
      result: { id: String(number), tag, type, ...defined({ message: message || undefined }) },
    })),
  };
}

function blockType(type: string): BlockType {
  const found = blockTypes.find((one) => one === type);
  if (!found) throw notValid(`unknown block type "${type}"`);
  return found;
}
