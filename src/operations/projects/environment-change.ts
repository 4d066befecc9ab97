import {
  type EnvironmentChange as EnvironmentChangeView,
  environmentImpactView,
  projectView,
} from '../../contracts/console/project-views.ts';
import type { AuditAction, AuditChange } from '../../domain/audit/audit-entry.ts';
import type { ProjectPrincipal } from '../../domain/console/console-principal.ts';
import { type ConsoleProblem, refuseConflict } from '../../domain/console/console-problem.ts';
import { type Outcome, succeed } from '../../domain/outcome.ts';
import { impactOfName } from '../../domain/project/environment-impact.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { projectEntry } from '../audit-entries.ts';
import type { ConsoleContext, ConsoleDecision, ConsoleRequest } from '../operation.ts';

/** A change of one environment. A name is null where there is none: before a creation, after a deletion. */
interface EnvironmentChange {
  readonly action: Extract<AuditAction, 'environment.create' | 'environment.edit' | 'environment.delete'>;
  readonly nameBefore: string | null;
  readonly nameAfter: string | null;
  readonly after: Project;
  /** Without changes nothing is written. */
  readonly changes: readonly AuditChange[];
}

/** Stores a project whose environment changed, and answers with the effects on tokens. */
export function changeEnvironment(
  queries: RecordQueries,
  request: ConsoleRequest,
  principal: ProjectPrincipal,
  context: ConsoleContext,
  change: EnvironmentChange,
): Outcome<ConsoleDecision, ConsoleProblem> {
  const { project: before, role } = principal;
  const { action, nameBefore, nameAfter, after, changes } = change;
  const impact = impactOfName(queries.tokensOf(before.id), nameBefore, nameAfter, context.now);
  const status = action === 'environment.create' ? 201 : 200;
  const value: EnvironmentChangeView = {
    project: projectView(after, role),
    impact: environmentImpactView(impact),
  };
  const reply = { status, value } as const;
  if (changes.length === 0) return succeed({ changes: [], reply });
  const target = { targetId: before.id, targetName: before.name, environment: nameBefore ?? nameAfter };
  return succeed({
    changes: [
      { kind: 'project', before, after },
      projectEntry({ action, ...target, changes }, principal, request, context),
    ],
    reply,
  });
}

/** The `revision` of an environment's change is the project's `environmentsRevision`. */
export function refuseMoved(
  { project, role }: ProjectPrincipal,
  revision: number,
): ReturnType<typeof refuseConflict> | null {
  if (revision === project.environmentsRevision) return null;
  return refuseConflict('list of environments', projectView(project, role));
}
