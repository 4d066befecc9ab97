import { type Static, Type } from 'typebox';
import { described } from '../described.ts';
import { flagStateFields } from './flag-state-fields.ts';

const id = Type.String(described('Flag id, 20 characters.', 'k3VvX0aPq7Lw2ZtR9bNd'));
const name = Type.String(described('Flag name. Not unique in a project.', 'checkout'));
const updatedAt = Type.Integer(
  described('Last change of the flag, Unix milliseconds. Strictly increases.', 1767225600000),
);

/** Flat form of a flag in a single-environment project. */
export const singleFlagSchema = Type.Object(
  {
    id,
    name,
    kind: Type.Literal('flag', described('A flag of a single-environment project.', 'flag')),
    updatedAt,
    ...flagStateFields,
  },
  { title: 'SingleFlag', additionalProperties: false },
);

const groupFlagKind = Type.Literal(
  'groupflag',
  described('A flag of a multi-environment project.', 'groupflag'),
);

/** Flat form of a group flag, for the environment of the parameter `env`. */
export const groupFlagInEnvironmentSchema = Type.Object(
  {
    id,
    name,
    kind: groupFlagKind,
    updatedAt,
    ...flagStateFields,
    environment: Type.String(described('The environment requested.', 'production')),
  },
  { title: 'GroupFlagInEnvironment', additionalProperties: false },
);

const environmentEntrySchema = Type.Object(
  {
    ...flagStateFields,
    updatedAt: Type.Integer(
      described("The flag's own updatedAt. Does not tell when this environment changed.", 1767225600000),
    ),
  },
  { title: 'EnvironmentEntry', additionalProperties: false },
);

/** Environments form: a group flag without `env`. */
export const groupFlagSchema = Type.Object(
  {
    id,
    name,
    kind: groupFlagKind,
    updatedAt,
    environments: Type.Record(
      Type.String({ pattern: '^[a-z0-9._-]{1,64}$' }),
      environmentEntrySchema,
      described('State by environment name; {} when the project has none yet.', {
        production: {
          enabled: true,
          trafficPercentage: 50,
          cohorts: [],
          audienceId: null,
          updatedAt: 1767225600000,
        },
      }),
    ),
  },
  { title: 'GroupFlag', additionalProperties: false },
);

/** The flat form: in the answer to a patch, and to a read of one environment. */
export const flatFlagSchema = Type.Union([singleFlagSchema, groupFlagInEnvironmentSchema], {
  title: 'FlatFlag',
  description: 'A flag in the flat form.',
});

/** Every form in which a flag is returned. */
export const flagRepresentationSchema = Type.Union(
  [singleFlagSchema, groupFlagInEnvironmentSchema, groupFlagSchema],
  { title: 'FlagRepresentation', description: 'A flag in the form that fits the request.' },
);

export type FlagRepresentation = Static<typeof flagRepresentationSchema>;
