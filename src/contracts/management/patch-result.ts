import { type Static, Type } from 'typebox';
import { described } from '../described.ts';
import { flatFlagSchema } from './flag-representation.ts';

/** The answer of `PATCH /api/v1/flags/{id}`. */
export const patchResultSchema = Type.Object(
  {
    changed: Type.Boolean(described('False when the patch changed nothing.', true)),
    flag: flatFlagSchema,
  },
  { title: 'PatchResult', additionalProperties: false },
);

export type PatchResult = Static<typeof patchResultSchema>;
