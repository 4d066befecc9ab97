import { dirname } from 'node:path';

/** The checkout's folder. */
export const root = dirname(dirname(import.meta.dirname));
