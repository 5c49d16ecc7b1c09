/** Prints shell assignments for clients that read no Juju files: GRIGRI_URL, GRIGRI_PASSWORD, GRIGRI_CA. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const [name = '', data = ''] = process.argv.slice(2);
interface Files {
  controllers: Record<string, { 'api-endpoints': string[]; 'ca-cert': string; password: string }>;
}
const read = (file: string): Files => parse(readFileSync(join(data, file), 'utf8')) as Files;
const controller = read('controllers.yaml').controllers[name]!;
const account = read('accounts.yaml').controllers[name]!;
const ca = join(data, 'ca.pem');
writeFileSync(ca, controller['ca-cert']);
const port = controller['api-endpoints'][0]!.split(':').at(-1);
console.log(
  `export GRIGRI_URL=wss://localhost:${port} GRIGRI_PASSWORD='${account.password}' GRIGRI_CA=${ca}`,
);
