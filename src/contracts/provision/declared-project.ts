import { type Static, Type } from 'typebox';
import { attributeCodePointsMax, rulesMax, ruleValuesMax, valueCodePointsMax } from '../../domain/bounds.ts';
import { isSlug, slugRule } from '../../domain/project/project-slug.ts';
import { permissions } from '../../domain/token/token.ts';
import { worded } from '../compiled-schema.ts';
import { declaredFlagSchema } from './declared-flag.ts';
import {
  emailSchema,
  environmentNameSchema,
  idSchema,
  nameSchema,
  sizedTextSchema,
  textSchema,
} from './text-schemas.ts';

const ruleSchema = Type.Object(
  {
    attribute: sizedTextSchema(1, attributeCodePointsMax),
    values: Type.Array(sizedTextSchema(0, valueCodePointsMax), {
      minItems: 1,
      maxItems: ruleValuesMax,
      ...worded('must be an array of at least one string'),
    }),
  },
  { additionalProperties: false, ...worded('must be an object with attribute and values') },
);

/** 1 to 50 rules, exact match only (decisions). */
export const declaredAudienceSchema = Type.Object(
  {
    name: nameSchema,
    rules: Type.Array(ruleSchema, {
      minItems: 1,
      maxItems: rulesMax,
      ...worded(`must be an array of 1 to ${rulesMax} rules`),
    }),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

const secretPlaceSchema = textSchema('must be a string of at least one character', (text) => text !== '');

/**
 * Absent or empty `environments`: unlimited. `expiresAt` is in Unix milliseconds, 0 for never. A secret that is made
 * ahead is in a file or an environment variable. The command reads it, and gives the server its hash instead.
 */
export const declaredTokenSchema = Type.Object(
  {
    name: nameSchema,
    permission: Type.Enum(
      [...permissions],
      worded(`must be ${permissions.map((one) => `"${one}"`).join(' or ')}`),
    ),
    environments: Type.Optional(
      Type.Array(environmentNameSchema, worded('must be an array of environment names')),
    ),
    expiresAt: Type.Optional(
      Type.Integer({ minimum: 0, ...worded('must be a time in Unix milliseconds, or 0 for never') }),
    ),
    secretFile: Type.Optional(secretPlaceSchema),
    secretVariable: Type.Optional(secretPlaceSchema),
    secretHash: Type.Optional(
      textSchema('must be 64 hexadecimal digits', (text) => /^[0-9a-f]{64}$/.test(text)),
    ),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

const projectFields = {
  name: nameSchema,
  id: Type.Optional(idSchema),
  slug: Type.Optional(textSchema(`must be a slug: ${slugRule}`, isSlug)),
  isSlugPublic: Type.Optional(Type.Boolean(worded('must be true or false'))),
  evaluationAccess: Type.Optional(Type.Boolean(worded('must be true or false'))),
  environments: Type.Optional(
    Type.Array(environmentNameSchema, worded('must be an array of environment names')),
  ),
  /** All protected environments, by name. Absent: none in a new project; an existing project keeps its own. */
  protectedEnvironments: Type.Optional(
    Type.Array(environmentNameSchema, worded('must be an array of environment names')),
  ),
  /** Of a single-environment project. Absent: as it is; a new one is not protected. */
  isProtected: Type.Optional(Type.Boolean(worded('must be true or false'))),
  audiences: Type.Optional(Type.Array(declaredAudienceSchema, worded('must be an array of audiences'))),
  flags: Type.Optional(Type.Array(declaredFlagSchema, worded('must be an array of flags'))),
  tokens: Type.Optional(Type.Array(declaredTokenSchema, worded('must be an array of tokens'))),
};

/** A project of an organisation. */
export const declaredProjectSchema = Type.Object(projectFields, {
  additionalProperties: false,
  ...worded('must be an object'),
});

/** A project outside organisations; `owner` is a member's email. */
export const declaredPersonalProjectSchema = Type.Object(
  { ...projectFields, owner: emailSchema },
  { additionalProperties: false, ...worded('must be an object') },
);

export type DeclaredAudience = Static<typeof declaredAudienceSchema>;
export type DeclaredToken = Static<typeof declaredTokenSchema>;
export type DeclaredProject = Static<typeof declaredProjectSchema>;
export type DeclaredPersonalProject = Static<typeof declaredPersonalProjectSchema>;
