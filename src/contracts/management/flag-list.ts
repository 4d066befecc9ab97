import { type Static, Type } from 'typebox';
import { flagRepresentationSchema } from './flag-representation.ts';

/** The answer of `GET /api/v1/flags`: always an object, its list never null. */
export const flagListSchema = Type.Object(
  {
    flags: Type.Array(flagRepresentationSchema, {
      description: "The project's flags, by name, then id; [] when nothing matches.",
      examples: [[]],
    }),
  },
  { title: 'FlagList', additionalProperties: false },
);

export type FlagList = Static<typeof flagListSchema>;
