import { Type } from 'typebox';
import { consoleFlagView, flagViewSchema } from '../../contracts/console/flag-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../domain/audience/audience-plan.ts';
import { appliesAudience, flagFromEdit } from '../../domain/flag/apply-flag-edit.ts';
import { creationChanges } from '../../domain/flag/flag-creation.ts';
import { parseFlagEdit } from '../../domain/flag/flag-edit.ts';
import { nameNewFlag } from '../../domain/flag/flag-name.ts';
import { hasAudience } from '../../domain/management/find-flag.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addFlagBoundProblems } from '../../domain/record-bounds.ts';
import { projectEntry } from '../audit-entries.ts';
import { optional, states } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { aliasLossRecords } from './flag-writes.ts';

/** Creates a flag with its flag-wide cohorts and its states. */
export const createConsoleFlag = consoleWrite('create-console-flag', {
  route: 'POST /projects/{projectId}/flags',
  access: inProject('editor'),
  body: shape({
    name: text,
    /** Takes the name from a flag that has it as an alias. */
    takesName: optional(Type.Boolean()),
    description: optional(text),
    tags: optional(Type.Array(text)),
    cohorts: optional(Type.Array(text)),
    states: optional(states),
  }),
  answer: flagViewSchema,
  run: (queries, request, principal, context) => {
    const { project, organisation } = principal;
    const problems = new ProblemList();
    const isKnown = (id: string) => hasAudience(queries, project.id, id);
    const { takesName = false, ...sent } = request.body;
    const edit = parseFlagEdit(sent, project, isKnown, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const unnamed = flagFromEdit(edit, project, context.newId(), context.now);
    const { flag, loss } = nameNewFlag(queries, unnamed, takesName, context.now, problems);
    addFlagBoundProblems(queries, project, null, flag, 'cohorts', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    if (appliesAudience(flag) && !permitsAudiences(project, organisation, context.now)) {
      return refuse('plan-required', audiencesNeedPlan);
    }
    const changes = creationChanges(flag, project);
    const entry = { action: 'flag.create', targetId: flag.id, targetName: flag.name, changes } as const;
    return succeed({
      changes: [
        ...aliasLossRecords(loss, principal, request, context),
        { kind: 'flag', before: null, after: flag, environment: null },
        projectEntry(entry, principal, request, context),
      ],
      reply: { status: 201, value: consoleFlagView(flag, project) },
    });
  },
});
