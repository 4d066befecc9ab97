import { Type } from 'typebox';
import { projectView, projectViewSchema } from '../../contracts/console/project-views.ts';
import { revision, shape, text } from '../../contracts/console/view-parts.ts';
import { refuseConflict } from '../../domain/console/console-problem.ts';
import { readName } from '../../domain/name-rules.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { Project } from '../../domain/project/project.ts';
import {
  addNeighbourProblems,
  type ProjectSettings,
  protectsByEnvironment,
  withSettings,
} from '../../domain/project/project-edit.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { projectEntry } from '../audit-entries.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, inProject } from '../operation.ts';

/** Changes the settings of a project. Only a single-environment project has a protection of its own. */
export const editProject = consoleWrite('edit-project', {
  route: 'PATCH /projects/{projectId}',
  access: inProject('admin'),
  body: shape({
    revision,
    name: optional(text),
    evaluationAccess: optional(Type.Boolean()),
    isProtected: optional(Type.Boolean()),
    slug: optional(text),
    isSlugPublic: optional(Type.Boolean()),
  }),
  answer: projectViewSchema,
  run: (queries, request, principal, context) => {
    const { project: before, role } = principal;
    const { revision, ...sent } = request.body;
    if (revision !== before.revision) return refuseConflict('project', projectView(before, role));
    const problems = new ProblemList();
    const settings = readSettings(queries, before, sent, problems);
    const { project, changes } = withSettings(queries, before, settings, '', problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const reply = { value: projectView(project, role) };
    if (changes.length === 0) return succeed({ changes: [], reply });
    const entry = {
      action: 'project.edit',
      targetId: project.id,
      targetName: project.name,
      changes,
    } as const;
    return succeed({
      changes: [
        { kind: 'project', before, after: project },
        projectEntry(entry, principal, request, context),
      ],
      reply,
    });
  },
});

function readSettings(
  queries: RecordQueries,
  project: Project,
  sent: ProjectSettings,
  problems: ProblemList,
): ProjectSettings {
  if (sent.isProtected !== undefined && project.isMultiEnvironment) problems.add(() => protectsByEnvironment);
  if (sent.name === undefined) return sent;
  const name = readName(sent.name, problems);
  if (name !== project.name) {
    const others = Array.from(queries.projects()).filter(({ id }) => id !== project.id);
    addNeighbourProblems(name, project, others, false, problems);
  }
  return { ...sent, name };
}
