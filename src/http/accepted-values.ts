const refused = /^q\s*=\s*0(\.0*)?$/;

/**
 * @param header `Accept`, `Accept-Encoding` or another of their form
 * @returns what it names, in lower case and without parameters; what has `q=0` is refused, and left out
 */
export function acceptedValues(header: string): readonly string[] {
  return header
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => refused.test(parameter)))
    .map(([value = '']) => value);
}
