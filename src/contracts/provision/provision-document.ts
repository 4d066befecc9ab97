import { type Static, Type } from 'typebox';
import { roles } from '../../domain/member/member.ts';
import { plans, subscriptions } from '../../domain/organisation/organisation.ts';
import { worded } from '../compiled-schema.ts';
import { declaredPersonalProjectSchema, declaredProjectSchema } from './declared-project.ts';
import { emailSchema, nameSchema, textSchema } from './text-schemas.ts';

const passwordCharsMin = 12;
/** A bound of our own: Argon2 would hash longer passwords, in more time. */
const passwordCharsMax = 1024;

function oneOf(words: readonly string[]): string {
  return `must be one of ${words.map((word) => `"${word}"`).join(', ')}`;
}

/** The email, in any case, identifies the member within the organisation. */
export const declaredMemberSchema = Type.Object(
  {
    name: nameSchema,
    email: emailSchema,
    role: Type.Enum([...roles], worded(oneOf(roles))),
    password: Type.Optional(
      textSchema(
        `must be a string of ${passwordCharsMin} to ${passwordCharsMax} characters`,
        (text) => text.length >= passwordCharsMin && text.length <= passwordCharsMax,
      ),
    ),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

export const declaredOrganisationSchema = Type.Object(
  {
    name: nameSchema,
    plan: Type.Enum([...plans], worded(oneOf(plans))),
    trialEndsAt: Type.Optional(
      Type.Union(
        [Type.Integer({ minimum: 0 }), Type.Null()],
        worded('must be a time in Unix milliseconds, or null'),
      ),
    ),
    subscription: Type.Optional(Type.Enum([...subscriptions], worded(oneOf(subscriptions)))),
    members: Type.Optional(Type.Array(declaredMemberSchema, worded('must be an array of members'))),
    projects: Type.Optional(Type.Array(declaredProjectSchema, worded('must be an array of projects'))),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

/** What `burgee apply` reads. */
export const provisionDocumentSchema = Type.Object(
  {
    organisations: Type.Optional(
      Type.Array(declaredOrganisationSchema, worded('must be an array of organisations')),
    ),
    personalProjects: Type.Optional(
      Type.Array(declaredPersonalProjectSchema, worded('must be an array of projects')),
    ),
  },
  { additionalProperties: false, ...worded('must be an object') },
);

export type DeclaredMember = Static<typeof declaredMemberSchema>;
export type DeclaredOrganisation = Static<typeof declaredOrganisationSchema>;
export type ProvisionDocument = Static<typeof provisionDocumentSchema>;
