import { dirname } from 'node:path';

/** The checkout. */
export const root = dirname(dirname(import.meta.dirname));
