/** Prints a third party's caveat in base64, made for a public key in base64. Arguments: version, key, condition. */
import { boxKeys } from '../../src/kit/box.ts';
import { encodeThirdPartyCaveat } from '../../src/kit/macaroon/third-party.ts';

const [version, key = '', condition = ''] = process.argv.slice(2);
const caveat = encodeThirdPartyCaveat(
  {
    version: version === '3' ? 3 : 2,
    condition,
    rootKey: Buffer.alloc(24, 'k'),
    namespace: version === '3' ? 'std:' : '',
  },
  boxKeys(Buffer.alloc(32, 7)),
  Buffer.from(key, 'base64'),
);
console.log(caveat.toString('base64'));
