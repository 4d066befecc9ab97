import { type Static, Type } from 'typebox';
import { described } from '../described.ts';
import { flatFlagSchema } from './flag-representation.ts';

/** The answer of `PATCH /api/v1/flags/{id}`. */
export const patchResultSchema = Type.Object(
  {
    changed: Type.Boolean(described('False when the flag already was as the patch wants it.', true)),
    flag: flatFlagSchema,
  },
  { title: 'PatchResult', additionalProperties: false },
);

export type PatchResult = Static<typeof patchResultSchema>;
