/**
 * The most values of a request's context. Each item of a list and each repetition of a parameter is one: every rule of
 * an audience is compared with all of them, and an audience has up to 50 rules.
 */
export const contextValuesMax = 256;

/** Faults of an evaluation's query string; each is a 400 (decisions, "Query decoding"). */
export type QueryFault =
  | 'malformed-escape'
  | 'invalid-utf8'
  | 'raw-plus-in-cohort'
  | 'raw-character'
  | 'repeated'
  | 'too-many-values';

const nameLengthMax = 64;

const explanations: Readonly<Record<QueryFault, string>> = {
  'malformed-escape':
    'cannot be decoded: a % must be followed by two hexadecimal digits. Percent-encode special characters as UTF-8 (a percent sign as %25).',
  'invalid-utf8':
    'cannot be decoded: its percent-escapes are not valid UTF-8. Percent-encode the UTF-8 bytes of each character.',
  'raw-plus-in-cohort':
    'cannot be decoded: it holds an unencoded +, which could mean a plus or a space. Encode a plus as %2B and a space as %20.',
  'raw-character':
    'cannot be decoded: it holds a character outside ASCII, or a control character, that is not encoded. Percent-encode it as UTF-8.',
  repeated: 'is given more than once. Send it once.',
  'too-many-values': `is one value of attributes too many: ${contextValuesMax} are read. Send the attributes that audiences ask for.`,
};

/** @returns the sentence that explains the fault and its fix. `parameter` is quoted, cut at 64 characters. */
export function describeQueryFault(fault: QueryFault, parameter: string): string {
  const characters = [...parameter];
  const shown =
    characters.length > nameLengthMax ? `${characters.slice(0, nameLengthMax).join('')}…` : parameter;
  return `The query parameter ${JSON.stringify(shown)} ${explanations[fault]}`;
}
