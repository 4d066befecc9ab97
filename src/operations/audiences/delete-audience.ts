import { audienceView } from '../../contracts/console/audience-views.ts';
import { revision, shape } from '../../contracts/console/view-parts.ts';
import { audiencesNeedPlan, permitsAudiences } from '../../domain/audience/audience-plan.ts';
import { type AudienceUses, usesOfAudience } from '../../domain/audience/audience-uses.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { refuseConflict } from '../../domain/console/console-problem.ts';
import { findAudience } from '../../domain/console/find-in-project.ts';
import { type RefusedWith, refuse, succeed } from '../../domain/outcome.ts';
import { shown } from '../../domain/problem-list.ts';
import { projectEntry } from '../audit-entries.ts';
import { consoleWrite, inProject } from '../operation.ts';

/** Refused while any flag applies it: without the audience, the flag would apply to everyone. */
export const deleteAudience = consoleWrite('delete-audience', {
  route: 'DELETE /projects/{projectId}/audiences/{audienceId}',
  access: inProject('editor'),
  body: shape({ revision }),
  run: (queries, request, principal, context) => {
    const { project, organisation } = principal;
    const found = findAudience(queries, project, request.params['audienceId']);
    if (!found.ok) return found;
    if (!permitsAudiences(project, organisation, context.now))
      return refuse('plan-required', audiencesNeedPlan);
    const before = found.value;
    const { id, name, rules } = before;
    const used = usesOfAudience(id, project, queries.flagsNaming(project.id, id));
    if (request.body.revision !== before.revision)
      return refuseConflict('audience', audienceView(before, used));
    if (used.useCount > 0) return refuseUsed(name, used);
    const changes = Object.entries({ name, rules }).map(([field, old]) => ({
      field,
      before: old,
      after: null,
    }));
    const entry = { action: 'audience.delete', targetId: id, targetName: name, changes } as const;
    return succeed({
      changes: [{ kind: 'audience', before, after: null }, projectEntry(entry, principal, request, context)],
      reply: {},
    });
  },
});

function refuseUsed(name: string, { uses, useCount }: AudienceUses): RefusedWith<ConsoleProblem> {
  const flags = useCount === 1 ? 'one flag' : `${useCount} flags`;
  const detail = `The audience "${shown(name)}" is attached to ${flags}. Detach it there first.`;
  return refuse('in-use', detail, { uses, useCount });
}
