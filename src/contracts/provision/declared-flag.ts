import { type Static, Type } from 'typebox';
import {
  cohortCodePointsMax,
  descriptionCodePointsMax,
  tagCodePointsMax,
  tagsMax,
} from '../../domain/bounds.ts';
import { worded } from '../compiled-schema.ts';
import { idSchema, nameSchema, sizedTextSchema } from './text-schemas.ts';

const cohortsSchema = Type.Array(
  sizedTextSchema(1, cohortCodePointsMax),
  worded('must be an array of strings'),
);

/**
 * State in one place. `audience` is a name; null detaches. An absent field keeps its value, or starts as in an API
 * create.
 */
const stateFields = {
  enabled: Type.Optional(Type.Boolean(worded('must be true or false'))),
  trafficPercentage: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, ...worded('must be a whole number between 0 and 100') }),
  ),
  cohorts: Type.Optional(cohortsSchema),
  audience: Type.Optional(
    Type.Union([nameSchema, Type.Null()], worded('must be the name of an audience, or null')),
  ),
};

export const declaredStateSchema = Type.Object(stateFields, {
  additionalProperties: false,
  ...worded('must be an object'),
});

/**
 * A flag of either kind: with `environments` in a multi-environment project, where `cohorts` is the flag-wide list;
 * with the state fields next to the name in a single-environment project, where `cohorts` is the flag's list.
 */
export const declaredFlagSchema = Type.Object(
  {
    name: nameSchema,
    id: Type.Optional(idSchema),
    description: Type.Optional(sizedTextSchema(0, descriptionCodePointsMax)),
    tags: Type.Optional(
      Type.Array(sizedTextSchema(1, tagCodePointsMax), {
        maxItems: tagsMax,
        ...worded(`must be an array of at most ${tagsMax} strings`),
      }),
    ),
    ...stateFields,
    environments: Type.Optional(
      Type.Record(
        Type.String(),
        declaredStateSchema,
        worded('must be an object with a state for each environment'),
      ),
    ),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

export type DeclaredState = Static<typeof declaredStateSchema>;
export type DeclaredFlag = Static<typeof declaredFlagSchema>;
