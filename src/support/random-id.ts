import { customAlphabet } from 'nanoid';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 20;

/** @returns a new id of any kind: 20 random characters, about 119 bits, never derived from a name (decisions). */
export const newId: () => string = customAlphabet(alphabet, idLength);
