import { Type } from 'typebox';
import { described } from '../described.ts';

/** A flag's state in one place, as every body and every flat representation has it. */
export const flagStateFields = {
  enabled: Type.Boolean(described('Master switch.', true)),
  trafficPercentage: Type.Integer({
    minimum: 0,
    maximum: 100,
    ...described('Share of bucketing keys that get true. Whole number.', 50),
  }),
  cohorts: Type.Array(
    Type.String({ minLength: 1, maxLength: 256 }),
    described(
      'Identifiers that always get true, without white space at their beginning or end. Replaced as a whole, kept in the order sent. All lists of a flag together have at most 1 MiB of UTF-8.',
      ['alpha-testers'],
    ),
  ),
  audienceId: Type.Union(
    [Type.String(), Type.Null()],
    described('Audience that the flag is limited to; null means everyone.', null, 'Hc5PnT8xYsQ1uWm6rGf3'),
  ),
};
