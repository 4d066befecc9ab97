import { type Static, Type } from 'typebox';
import { described } from '../described.ts';
import { flagStateFields } from './flag-state-fields.ts';

const optionalStateSchema = Type.Partial(Type.Object(flagStateFields), { additionalProperties: false });

const describingFields = {
  name: Type.String({
    minLength: 1,
    ...described('1 to 200 characters after trimming, no control characters. Not unique.', 'checkout'),
  }),
  description: Type.Optional(
    Type.String({ maxLength: 2000, ...described('At most 2,000 characters.', 'The new checkout') }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      ...described('At most 50 tags of 1 to 64 characters.', ['shop']),
    }),
  ),
};

/** The body of `POST /api/v1/flags` in a single-environment project. */
export const singleFlagCreateBodySchema = Type.Object(
  { ...describingFields, ...optionalStateSchema.properties },
  { title: 'SingleFlagCreateBody', additionalProperties: false },
);

/** The body of `POST /api/v1/flags` in a multi-environment project. */
export const groupFlagCreateBodySchema = Type.Object(
  {
    ...describingFields,
    environments: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z0-9._-]{1,64}$' }),
        optionalStateSchema,
        described(
          'State by environment name. An environment that is left out starts disabled at 0 % with no cohorts.',
          {
            staging: { enabled: true, trafficPercentage: 50 },
          },
        ),
      ),
    ),
  },
  { title: 'GroupFlagCreateBody', additionalProperties: false },
);

/** Either body; the token's project decides which one is valid. */
export const flagCreateBodySchema = Type.Union([singleFlagCreateBodySchema, groupFlagCreateBodySchema], {
  title: 'FlagCreateBody',
});

export type FlagCreateBody = Static<typeof flagCreateBodySchema>;
