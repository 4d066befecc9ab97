import { memberView, memberViewSchema } from '../../contracts/console/member-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { readName } from '../../domain/name-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { ownEntry } from '../audit-entries.ts';
import { consoleWrite, signedIn } from '../operation.ts';

/** Renames the member that asks. The email is an Admin's to change: it may sign the member in. */
export const editOwnName = consoleWrite('edit-own-name', {
  route: 'PATCH /session',
  access: signedIn,
  body: shape({ name: text }),
  answer: memberViewSchema,
  run: (queries, request, { member: before }, context) => {
    const problems = new ProblemList();
    const name = readName(request.body.name, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    if (name === before.name) return succeed({ changes: [], reply: { value: memberView(queries, before) } });
    const after = { ...before, name, revision: before.revision + 1 };
    const change = { field: 'name', before: before.name, after: name };
    return succeed({
      changes: [
        { kind: 'member', before, after },
        ownEntry(after, 'member.edit', [change], request, context),
      ],
      reply: { value: memberView(queries, after) },
    });
  },
});
