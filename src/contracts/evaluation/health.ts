import { type Static, Type } from 'typebox';
import { described } from '../described.ts';

/** The answer of `GET /health` while the process can evaluate. */
export const healthSchema = Type.Object(
  { status: Type.Literal('ok', described('The service can evaluate.', 'ok')) },
  { title: 'Health', additionalProperties: false },
);

/** The answer of `GET /health` with status 503. */
export const unhealthySchema = Type.Object(
  {
    status: Type.Literal('unavailable', described('The service cannot evaluate.', 'unavailable')),
    failing: Type.Array(
      Type.String(),
      described('The parts that do not work. For people; names may change.', ['workers']),
    ),
  },
  { title: 'Unhealthy', additionalProperties: false },
);

export type Health = Static<typeof healthSchema>;
export type Unhealthy = Static<typeof unhealthySchema>;
