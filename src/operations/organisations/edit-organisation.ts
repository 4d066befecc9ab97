import { organisationView, organisationViewSchema } from '../../contracts/console/organisation-views.ts';
import { revision, shape, text } from '../../contracts/console/view-parts.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { readName } from '../../domain/name-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { organisationEntry } from '../audit-entries.ts';
import { consoleWrite, inOrganisation } from '../operation.ts';

/** Renames the organisation. Its plan is the operator's. */
export const editOrganisation = consoleWrite('edit-organisation', {
  route: 'PATCH /organisation',
  access: inOrganisation('owner'),
  body: shape({ revision, name: text }),
  answer: organisationViewSchema,
  run: (_queries, request, principal, context) => {
    const before = ownOrganisation(principal);
    const problems = new ProblemList();
    const name = readName(request.body.name, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    if (request.body.revision !== before.revision) {
      const current = organisationView(before, context.now);
      return refuse('conflict', 'The organisation has been changed since you opened it.', { current });
    }
    if (name === before.name)
      return succeed({ changes: [], reply: { value: organisationView(before, context.now) } });
    const after = { ...before, name, revision: before.revision + 1 };
    const entry = organisationEntry(request, principal, context, {
      action: 'organisation.edit',
      targetId: before.id,
      targetName: name,
      changes: [{ field: 'name', before: before.name, after: name }],
    });
    const changes = [{ kind: 'organisation', before, after } as const, entry];
    return succeed({ changes, reply: { value: organisationView(after, context.now) } });
  },
});
