import { type Static, Type } from 'typebox';
import { permissions } from '../../domain/token/token.ts';
import { described } from '../described.ts';

const projectSchema = Type.Object(
  {
    id: Type.String(described('Project id, 20 characters.', 'Qm4ZtR9bNdk3VvX0aPq7')),
    name: Type.String(described('Project name.', 'shop')),
  },
  { additionalProperties: false, description: 'The one project that the token belongs to.' },
);

/** The answer of `GET /api/v1/token`: the permissions of the asking token. */
export const tokenDescriptionSchema = Type.Object(
  {
    id: Type.String(described('Token id, 20 characters. It is not the secret.', 'Vn7KqL2wZtR9bNdk3VvX')),
    name: Type.String(described('Token name.', 'ci')),
    project: projectSchema,
    permission: Type.Enum(permissions, described('`write` can also create and patch.', 'write')),
    environments: Type.Array(
      Type.String(),
      described(
        'Names of the environments that the token is limited to. Empty means every environment. Never null.',
        ['staging'],
      ),
    ),
    expiresAt: Type.Integer({
      minimum: 0,
      ...described('Unix time in milliseconds; 0 means never.', 0, 1798761600000),
    }),
  },
  { title: 'TokenDescription', additionalProperties: false },
);

export type TokenDescription = Static<typeof tokenDescriptionSchema>;
