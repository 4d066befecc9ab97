import { type Static, Type } from 'typebox';
import { flagStateFields } from './flag-state-fields.ts';

/** The body of `PATCH /api/v1/flags/{id}`: a merge patch. At least one key; an absent key is left alone. */
export const flagPatchBodySchema = Type.Partial(Type.Object(flagStateFields), {
  title: 'FlagPatchBody',
  additionalProperties: false,
  minProperties: 1,
});

export type FlagPatchBody = Static<typeof flagPatchBodySchema>;
