import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { DeclaredAudience } from '../../../contracts/provision/declared-project.ts';
import { areSameRules } from '../../../domain/audience/audience-edit.ts';
import { audiencesMax } from '../../../domain/bounds.ts';
import type { Audience, AudienceRule } from '../../../domain/evaluation/audience.ts';
import { nextUpdatedAt } from '../../../domain/flag/flag.ts';
import { addAudienceBoundProblems } from '../../../domain/record-bounds.ts';
import { ledgerOf } from '../../../operations/audit-entries.ts';
import { created } from './declare-organisation.ts';
import type { DeclaredInto } from './declare-project.ts';
import { addTo } from './provision-directory.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** Finds an audience by its name, or creates it. `known` are the project's audiences by name; a new one is added. */
export function declareAudience(
  scope: ProvisionScope,
  into: DeclaredInto,
  known: Map<string, Audience[]>,
  declared: DeclaredAudience,
  path: string,
): Audience {
  const name = declared.name.trim();
  const before = scope.single(known.get(name) ?? [], stepInto(path, 'name'), name);
  if (before !== undefined) return editAudience(scope, into, before, declared.rules, path);
  const audience: Audience = {
    ...{ id: scope.newId(), projectId: into.project.id, name, rules: declared.rules },
    ...{ createdAt: scope.now, updatedAt: scope.now, revision: 1 },
  };
  addCountProblem(scope, known, path);
  addAudienceBoundProblems(
    scope.queries,
    into.project,
    null,
    audience,
    stepInto(path, 'rules'),
    scope.problems,
  );
  scope.count('created');
  scope.change(
    { kind: 'audience', before: null, after: audience },
    { ...entryOf(into, audience, 'audience.create'), changes: created({ name, rules: declared.rules }) },
  );
  addTo(known, name, audience);
  return audience;
}

function addCountProblem(
  scope: ProvisionScope,
  known: ReadonlyMap<string, readonly Audience[]>,
  path: string,
): void {
  const count = [...known.values()].reduce((sum, { length }) => sum + length, 0);
  if (count < audiencesMax) return;
  scope.problems.add(() => `${path}: the project has ${audiencesMax} audiences, which is the limit`);
}

function editAudience(
  scope: ProvisionScope,
  into: DeclaredInto,
  before: Audience,
  rules: readonly AudienceRule[],
  path: string,
): Audience {
  const isSame = areSameRules(before.rules, rules);
  scope.count(isSame ? 'unchanged' : 'changed');
  if (isSame) return before;
  const updatedAt = nextUpdatedAt(before.updatedAt, scope.now);
  const after = { ...before, rules, updatedAt, revision: before.revision + 1 };
  addAudienceBoundProblems(
    scope.queries,
    into.project,
    before,
    after,
    stepInto(path, 'rules'),
    scope.problems,
  );
  const changes = [{ field: 'rules', before: before.rules, after: rules }];
  const entry = { ...entryOf(into, after, 'audience.edit'), changes };
  scope.change({ kind: 'audience', before, after }, entry);
  return after;
}

function entryOf<Action extends 'audience.create' | 'audience.edit'>(
  { project }: DeclaredInto,
  { id, name }: Audience,
  action: Action,
) {
  return { ledgerId: ledgerOf(project), projectId: project.id, action, targetId: id, targetName: name };
}
