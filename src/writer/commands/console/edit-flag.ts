import type { EditFlagBody } from '../../../contracts/console/console-bodies.ts';
import { consoleFlagView } from '../../../contracts/console/console-flag-view.ts';
import type { ProjectCommand } from '../../../contracts/console/console-handler.ts';
import type { FlagChangeResult } from '../../../contracts/console/views/flag-views.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../../domain/audience/audience-plan.ts';
import { denyConflict } from '../../../domain/console/console-conflict.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { findConsoleFlag } from '../../../domain/console/find-in-project.ts';
import { applyFlagEdit } from '../../../domain/flag/apply-flag-edit.ts';
import { parseFlagEdit } from '../../../domain/flag/flag-edit.ts';
import { hasAudience } from '../../../domain/management/find-flag.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { projectEntry } from './project-entry.ts';

/** A whole draft, stored at once or not at all. One that changes nothing writes nothing. */
export const editFlag: ProjectCommand<EditFlagBody> = (queries, request, principal, context) => {
  const { project, organisation } = principal;
  const found = findConsoleFlag(queries, project, request.params['flagId']);
  if (!found.ok) return found;
  const before = found.value;
  const { revision, ...sent } = request.body;
  if (revision !== before.revision) return denyConflict('flag', consoleFlagView(before, project));
  const problems = new ProblemList();
  const edit = parseFlagEdit(sent, project, (id) => hasAudience(queries, project.id, id), problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  const { changed, flag: after, changes, ...result } = applyFlagEdit(before, project, edit, context.now);
  if (result.attachesAudience && !permitsAudiences(project, organisation, context.now)) {
    return deny('plan-required', audiencesNeedPlan);
  }
  const value: FlagChangeResult = { changed, flag: consoleFlagView(after, project) };
  const reply = { value };
  if (!changed) return allow({ changes: [], reply });
  const { environment } = result;
  const target = { targetId: after.id, targetName: after.name, environment };
  return allow({
    changes: [
      { kind: 'flag', before, after, environment },
      projectEntry({ action: 'flag.edit', ...target, changes }, principal, request, context),
    ],
    reply,
  });
};
