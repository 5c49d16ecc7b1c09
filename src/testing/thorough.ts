/** Whether tests may take long, as in `npm run test:properties`; `npm test` has two minutes. */
export const isThorough = process.env['GRIGRI_THOROUGH'] === '1';
