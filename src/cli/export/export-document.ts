import type { Member } from '../../domain/member/member.ts';
import type { ExportPlan, PlannedOrganisation } from './export-plan.ts';
import { projectPieces } from './export-project.ts';
import type { ExportScope } from './export-scope.ts';
import { arrayPieces, deeper, linePieces, objectPieces, type Pieces } from './json-pieces.ts';

/**
 * Everything that `apply` reads, and no secret. Flags are read one after another as the pieces are asked for, so that a
 * million of them are never in memory.
 */
export function* exportDocument(scope: ExportScope, plan: ExportPlan): Generator<string> {
  const indent = deeper('');
  const itemIndent = deeper(indent);
  const organisations = plan.organisations.map((planned) => organisationPieces(scope, planned, itemIndent));
  const personal = plan.personalProjects.map(({ project, owner }) =>
    projectPieces(scope, project, { owner }, itemIndent),
  );
  const fields = function* (): Generator<readonly [string, Pieces]> {
    yield ['organisations', arrayPieces(organisations, indent)];
    yield ['personalProjects', arrayPieces(personal, indent)];
    scope.onEnd();
  };
  yield* objectPieces(fields(), '');
  yield '\n';
}

function organisationPieces(
  scope: ExportScope,
  { organisation, members, projects }: PlannedOrganisation,
  indent: string,
): Pieces {
  const { name, plan, trialEndsAt, subscription } = organisation;
  const inner = deeper(indent);
  const projectIndent = deeper(inner);
  return objectPieces(
    [
      ['name', linePieces(name)],
      ['plan', linePieces(plan)],
      ['trialEndsAt', linePieces(trialEndsAt)],
      ['subscription', linePieces(subscription)],
      ['members', arrayPieces(members.map(memberPieces), inner)],
      [
        'projects',
        arrayPieces(
          projects.map((project) => projectPieces(scope, project, {}, projectIndent)),
          inner,
        ),
      ],
    ],
    indent,
  );
}

/** Without the password: only its hash is known. */
function memberPieces({ name, email, role }: Member): Pieces {
  return linePieces({ name, email, role });
}
