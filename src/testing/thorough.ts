/** Whether tests take the time that they need: by `npm run test:properties`. `npm test` has two minutes. */
export const isThorough = process.env['GRIGRI_THOROUGH'] === '1';
