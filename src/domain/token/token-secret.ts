import { crc32 } from '../../support/crc32.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * @param value a number while numbers are exact, because it takes a tenth of a bigint's time.
 * @returns the value in base 62 (`0-9A-Za-z`), most significant digit first, padded with `0` to `width`.
 */
function toBase62(value: bigint | number, width: number): string {
  return (typeof value === 'bigint' ? digitsOfBigint(value) : digitsOf(value)).padStart(width, '0');
}

function digitsOf(value: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text;
  return text;
}

function digitsOfBigint(value: bigint): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
}

/** The random part: 43 characters hold 256 bits. */
const randomLength = 43;
/** The check: 6 characters hold 32 bits. */
const checkLength = 6;
const secretLength = randomLength + checkLength;
const randomByteCount = 32;

const encoder = new TextEncoder();

/**
 * Makes `<prefix>_<43 random characters><6 check characters>`, all of `0-9A-Za-z` (decisions). The check distinguishes
 * a mistyped or truncated secret from an unknown one without a look-up, and makes secret scanners certain.
 *
 * @param randomBytes 32 bytes from a cryptographic source.
 */
export function newTokenSecret(prefix: string, randomBytes: Uint8Array): string {
  return `${prefix}_${newSecretText(randomBytes)}`;
}

/** The part without a prefix; sessions and one-time links have such secrets too. @param randomBytes 32 of them */
export function newSecretText(randomBytes: Uint8Array): string {
  if (randomBytes.length !== randomByteCount) throw new RangeError(`need ${randomByteCount} random bytes`);
  const hexadecimal = Array.from(randomBytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const random = toBase62(BigInt(`0x${hexadecimal}`), randomLength);
  return `${random}${checkOf(random)}`;
}

/**
 * @param acceptedPrefixes the present prefix, and former ones whose tokens still work.
 * @returns the part after the last underscore, whose hash is stored; undefined when the text is not a token secret.
 */
export function readTokenSecret(text: string, acceptedPrefixes: readonly string[]): string | undefined {
  const underscore = text.lastIndexOf('_');
  const secret = text.slice(underscore + 1);
  if (underscore < 0 || !acceptedPrefixes.includes(text.slice(0, underscore))) return undefined;
  return isSecretText(secret) ? secret : undefined;
}

/** Whether the secret is complete and not mistyped. Whether it exists, only the store knows. */
export function isSecretText(text: string): boolean {
  if (text.length !== secretLength || !/^[0-9A-Za-z]+$/.test(text)) return false;
  return checkOf(text.slice(0, randomLength)) === text.slice(randomLength);
}

function checkOf(random: string): string {
  return toBase62(crc32(encoder.encode(random)), checkLength);
}
