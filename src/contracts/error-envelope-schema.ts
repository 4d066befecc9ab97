import { type Static, Type } from 'typebox';
import { described } from './described.ts';

/** The body of every error, except the plain-text 429 of the per-address request rate. */
export const errorEnvelopeSchema = Type.Object(
  {
    error: Type.String(described('Short title. Stable enough to branch on.', 'Invalid request')),
    detail: Type.String(
      described(
        'Cause and fix, for people. Log it; do not parse it.',
        '"trafficPercentage" must be a whole number between 0 and 100',
      ),
    ),
    docs: Type.String(
      described(
        'Link to the section of the documentation that explains this error.',
        'http://127.0.0.1:8080/docs#invalid-request',
      ),
    ),
  },
  { title: 'ErrorEnvelope', additionalProperties: false },
);

export type ErrorEnvelope = Static<typeof errorEnvelopeSchema>;
