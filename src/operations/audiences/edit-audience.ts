import { Type } from 'typebox';
import {
  audienceRuleSchema,
  audienceView,
  audienceViewSchema,
} from '../../contracts/console/audience-views.ts';
import { revision, shape, text } from '../../contracts/console/view-parts.ts';
import { editedAudience, parseAudience } from '../../domain/audience/audience-edit.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../domain/audience/audience-plan.ts';
import { usesOfAudience } from '../../domain/audience/audience-uses.ts';
import { refuseConflict } from '../../domain/console/console-problem.ts';
import { findAudience } from '../../domain/console/find-in-project.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addAudienceBoundProblems } from '../../domain/record-bounds.ts';
import { projectEntry } from '../audit-entries.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';

/** Takes effect at once in evaluations of every flag that applies it. */
export const editAudience = consoleWrite('edit-audience', {
  route: 'PATCH /projects/{projectId}/audiences/{audienceId}',
  access: inProject('editor'),
  body: shape({
    revision,
    name: optional(text),
    rules: optional(Type.Array(audienceRuleSchema)),
  }),
  answer: audienceViewSchema,
  run: (queries, request, principal, context) => {
    const { project, organisation } = principal;
    const found = findAudience(queries, project, request.params['audienceId']);
    if (!found.ok) return found;
    if (!permitsAudiences(project, organisation, context.now))
      return refuse('plan-required', audiencesNeedPlan);
    const before = found.value;
    const view = (audience: Audience) =>
      audienceView(
        audience,
        usesOfAudience(audience.id, project, queries.flagsNaming(project.id, audience.id)),
      );
    const { revision, ...sent } = request.body;
    if (revision !== before.revision) return refuseConflict('audience', view(before));
    const problems = new ProblemList();
    const names = queries.audienceNamesOf(project.id);
    const fields = parseAudience(sent, { names, own: before.id }, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const { audience: after, changes } = editedAudience(before, fields, context.now);
    addAudienceBoundProblems(queries, project, before, after, 'rules', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const reply = { value: view(after) };
    if (changes.length === 0) return succeed({ changes: [], reply });
    const entry = { action: 'audience.edit', targetId: after.id, targetName: after.name, changes } as const;
    return succeed({
      changes: [{ kind: 'audience', before, after }, projectEntry(entry, principal, request, context)],
      reply,
    });
  },
});
