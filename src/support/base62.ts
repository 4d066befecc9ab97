const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * @param value a number while numbers are exact, because it takes a tenth of a bigint's time.
 * @returns the value in base 62 (`0-9A-Za-z`), most significant digit first, padded with `0` to `width`.
 */
export function toBase62(value: bigint | number, width: number): string {
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
