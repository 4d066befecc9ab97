import { Type } from 'typebox';
import {
  audienceRuleSchema,
  audienceView,
  audienceViewSchema,
} from '../../contracts/console/audience-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { newAudience, parseAudience } from '../../domain/audience/audience-edit.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../domain/audience/audience-plan.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addAudienceBoundProblems } from '../../domain/record-bounds.ts';
import { projectEntry } from '../audit-entries.ts';
import { consoleWrite, inProject } from '../operation.ts';

export const createAudience = consoleWrite('create-audience', {
  route: 'POST /projects/{projectId}/audiences',
  access: inProject('editor'),
  body: shape({ name: text, rules: Type.Array(audienceRuleSchema) }),
  answer: audienceViewSchema,
  run: (queries, request, principal, context) => {
    const { project, organisation } = principal;
    if (!permitsAudiences(project, organisation, context.now))
      return refuse('plan-required', audiencesNeedPlan);
    const problems = new ProblemList();
    const names = queries.audienceNamesOf(project.id);
    const fields = parseAudience(request.body, { names, own: null }, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const audience = newAudience(fields, context.newId(), project.id, context.now);
    addAudienceBoundProblems(queries, project, null, audience, 'rules', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const { id, name, rules } = audience;
    const changes = Object.entries({ name, rules }).map(([field, after]) => ({ field, before: null, after }));
    const entry = { action: 'audience.create', targetId: id, targetName: name, changes } as const;
    return succeed({
      changes: [
        { kind: 'audience', before: null, after: audience },
        projectEntry(entry, principal, request, context),
      ],
      reply: { status: 201, value: audienceView(audience, { uses: [], useCount: 0 }) },
    });
  },
});
