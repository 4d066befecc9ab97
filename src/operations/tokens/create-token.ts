import { type Static, Type } from 'typebox';
import { madeTokenSchema } from '../../contracts/console/token-views.ts';
import { nullable, permissionSchema, shape, text } from '../../contracts/console/view-parts.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleTokenView } from '../../domain/token/console-token-view.ts';
import { newTokenChanges, tokenAuditEntry } from '../../domain/token/token-audit.ts';
import { addTokenProblems, newToken } from '../../domain/token/token-creation.ts';
import { ProjectTokens } from '../../domain/token/token-list.ts';
import { allowTokenChanges } from '../../domain/token/token-management.ts';
import { consoleWrite, inProject } from '../operation.ts';

const sent = shape({
  name: text,
  permission: permissionSchema,
  /** Null: every environment, with future ones. */
  environments: nullable(Type.Array(text)),
  /** 0 means never. */
  expiryDays: Type.Union([Type.Literal(0), Type.Literal(30), Type.Literal(90), Type.Literal(365)]),
});
export type CreateTokenBody = Static<typeof sent>;

/** Creates a token. Its secret is in this answer, and never shown again. */
export const createToken = consoleWrite('create-token', {
  route: 'POST /projects/{projectId}/tokens',
  access: inProject('editor'),
  body: sent,
  answer: madeTokenSchema,
  run: (queries, request, principal, context) => {
    const { project, member } = principal;
    const { now, tokenPrefix } = context;
    const allowed = allowTokenChanges(principal, now);
    if (!allowed.ok) return allowed;
    const problems = new ProblemList();
    const tokens = new ProjectTokens(queries, project.id);
    addTokenProblems(request.body, project, tokens.unrevoked.length, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());

    const secret = context.newSecret();
    const made = { id: context.newId(), projectId: project.id, by: member.id, at: now };
    const token = newToken(request.body, made, context.hashSecret(secret));
    const stamp = { id: context.newId(), at: now, requestId: request.requestId, address: request.address };
    const entry = tokenAuditEntry(principal, 'token.create', token, newTokenChanges(token), stamp);
    return succeed({
      changes: [
        ...tokens.dropOldest(),
        { kind: 'token', before: null, after: token },
        { kind: 'audit', entry },
      ],
      reply: {
        status: 201,
        value: {
          token: consoleTokenView(queries, token, principal, now),
          secret: `${tokenPrefix}_${secret}`,
        },
      },
    });
  },
});
