/** First commit whose code writes each format of the store. A new format adds a line. */
export const formatCommits: Readonly<Record<number, string>> = {
  1: 'ec87fdd2',
  2: '60bf2df9',
  3: 'f7a13a8d',
  4: 'aa784563',
  5: '8f665acb',
  6: 'f7c54e35',
  7: '03f9660c',
  8: '042ef30f',
  9: '7841faec',
};
