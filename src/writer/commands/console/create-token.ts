import type { CreateTokenBody } from '../../../contracts/console/console-bodies.ts';
import type { ProjectCommand } from '../../../contracts/console/console-handler.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { consoleTokenView } from '../../../domain/token/console-token-view.ts';
import { newTokenChanges, tokenAuditEntry } from '../../../domain/token/token-audit.ts';
import { addTokenProblems, newToken } from '../../../domain/token/token-creation.ts';
import { countUnrevoked } from '../../../domain/token/token-list.ts';
import { allowTokenChanges } from '../../../domain/token/token-management.ts';

/** Makes a token. Its secret is in the answer, and nowhere else ever again. */
export const createToken: ProjectCommand<CreateTokenBody> = (queries, request, principal, context) => {
  const { project, member } = principal;
  const { now, tokenPrefix } = context;
  const allowed = allowTokenChanges(principal, now);
  if (!allowed.ok) return allowed;
  const problems = new ProblemList();
  addTokenProblems(request.body, project, countUnrevoked(queries, project.id), problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());

  const secret = context.newSecret();
  const made = { id: context.newId(), projectId: project.id, by: member.id, at: now };
  const token = newToken(request.body, made, context.hashSecret(secret));
  const stamp = { id: context.newId(), at: now, requestId: request.requestId };
  const entry = tokenAuditEntry(principal, 'token.create', token, newTokenChanges(token), stamp);
  return allow({
    changes: [
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
};
