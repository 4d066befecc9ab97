/** The data file is not what LMDB writes. The message says what is wrong, and on which page. */
export class DamagedPagesError extends Error {
  override readonly name = 'DamagedPagesError';
}
