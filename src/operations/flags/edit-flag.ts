import { type Static, Type } from 'typebox';
import {
  consoleFlagView,
  type FlagChangeResult,
  flagChangeResultSchema,
} from '../../contracts/console/flag-views.ts';
import { revision, shape, text } from '../../contracts/console/view-parts.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../domain/audience/audience-plan.ts';
import { refuseConflict } from '../../domain/console/console-problem.ts';
import { findConsoleFlag } from '../../domain/console/find-in-project.ts';
import { applyFlagEdit } from '../../domain/flag/apply-flag-edit.ts';
import { parseFlagEdit } from '../../domain/flag/flag-edit.ts';
import { editNames } from '../../domain/flag/flag-name.ts';
import { hasAudience } from '../../domain/management/find-flag.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addFlagBoundProblems } from '../../domain/record-bounds.ts';
import { projectEntry } from '../audit-entries.ts';
import { optional, states } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';
import { aliasLossRecords } from './flag-writes.ts';

/** A whole draft in one transaction: an absent field keeps its value. */
const sent = shape({
  revision,
  name: optional(text),
  /** Takes the name from another flag that has it as an alias, or takes a name without an owner. */
  takesName: optional(Type.Boolean()),
  /** The former names to which it still answers, without some. */
  aliases: optional(Type.Array(text)),
  description: optional(text),
  tags: optional(Type.Array(text)),
  cohorts: optional(Type.Array(text)),
  states: optional(states),
});
export type EditFlagBody = Static<typeof sent>;

/** Stores a whole draft or nothing. A draft that changes nothing writes nothing. */
export const editFlag = consoleWrite('edit-flag', {
  route: 'PATCH /projects/{projectId}/flags/{flagId}',
  access: inProject('editor'),
  body: sent,
  answer: flagChangeResultSchema,
  run: (queries, request, principal, context) => {
    const { project, organisation } = principal;
    const found = findConsoleFlag(queries, project, request.params['flagId']);
    if (!found.ok) return found;
    const before = found.value;
    const { revision, takesName = false, aliases = before.aliases, ...sent } = request.body;
    if (revision !== before.revision) return refuseConflict('flag', consoleFlagView(before, project));
    const problems = new ProblemList();
    const read = parseFlagEdit(sent, project, (id) => hasAudience(queries, project.id, id), problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const nameEdit = { name: read.labels.name ?? before.name, takesName, aliases };
    const { names, loss } = editNames(queries, before, nameEdit, context.now, problems);
    const edit = { ...read, names };
    const { changed, flag: after, changes, ...result } = applyFlagEdit(before, project, edit, context.now);
    if (changed) addFlagBoundProblems(queries, project, before, after, 'cohorts', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    if (result.attachesAudience && !permitsAudiences(project, organisation, context.now)) {
      return refuse('plan-required', audiencesNeedPlan);
    }
    const value: FlagChangeResult = { changed, flag: consoleFlagView(after, project) };
    const reply = { value };
    if (!changed) return succeed({ changes: [], reply });
    const { environment } = result;
    const target = { targetId: after.id, targetName: after.name, environment };
    return succeed({
      changes: [
        ...aliasLossRecords(loss, principal, request, context),
        { kind: 'flag', before, after, environment },
        projectEntry({ action: 'flag.edit', ...target, changes }, principal, request, context),
      ],
      reply,
    });
  },
});
