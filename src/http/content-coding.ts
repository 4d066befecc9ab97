import { acceptedValues } from './accepted-values.ts';

/** The codings in which bodies are sent, the best first. */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/**
 * @param header `Accept-Encoding`: a coding with `q=0` is refused
 * @param offered the codings that the body has
 * @returns the best coding that the client accepts; null: the body as it is
 */
export function acceptedCoding(header: string, offered: readonly Coding[] = codings): Coding | null {
  const accepted = acceptedValues(header);
  return offered.find((coding) => accepted.includes(coding)) ?? null;
}
