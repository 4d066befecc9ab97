import t from 'tap';
import type { AuditEntry } from '../../../../src/domain/audit/audit-entry.ts';
import { changesListedMax } from '../../../../src/domain/audit/project-changes.ts';
import type { Project } from '../../../../src/domain/project/project.ts';
import { newId } from '../../../../src/support/random-id.ts';
import { auditEntryOf, creationOf, projectOf } from '../../../storage/support/records.ts';
import {
  type OrganisationFixture,
  openOrganisation,
} from '../../../writer/commands/console/organisation-fixture.ts';

function append(fixture: OrganisationFixture, entries: readonly Partial<AuditEntry>[]): void {
  const ledgerId = fixture.organisation.id;
  fixture.apply(entries.map((entry) => ({ kind: 'audit', entry: auditEntryOf(ledgerId, entry) })));
}

function look(fixture: OrganisationFixture, { id }: Project, since?: number) {
  const query = since === undefined ? {} : { since: String(since) };
  const { text } = fixture.read('watch-project', fixture.owner, { params: { projectId: id }, query });
  return JSON.parse(text);
}

t.test('a page begins at the newest entry, and is told what came after it', async (t) => {
  const fixture = openOrganisation(t);
  const [project, other] = [fixture.addProject(), fixture.addProject()];
  const [first, second] = [newId(), newId()];
  const nothing = { flags: [], project: false, other: false };
  const begin = { organisationId: fixture.organisation.id, ...nothing };
  t.strictSame(look(fixture, project), { sequence: 0, ...begin }, 'an empty log');
  append(fixture, [{ projectId: project.id, targetId: newId() }]);
  t.strictSame(look(fixture, project), { sequence: 1, ...begin });
  t.strictSame(look(fixture, project, 1), { sequence: 1, ...nothing });
  append(fixture, [
    { projectId: project.id, targetId: first },
    { projectId: project.id, targetId: second, action: 'flag.delete' },
    { projectId: project.id, targetId: first, action: 'flag.edit' },
  ]);
  t.strictSame(look(fixture, project, 1), { sequence: 4, ...nothing, flags: [first, second] });
  t.strictSame(look(fixture, other, 1), { sequence: 4, ...nothing }, 'another project’s are not told');
});

t.test('what kind of thing has changed follows the action', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const actions = {
    project: ['project.edit', 'environment.create', 'environment.delete', 'audience.edit'],
    other: ['token.create', 'token.revoke'],
  } as const;
  let since = 0;
  for (const kind of ['project', 'other'] as const) {
    for (const action of actions[kind]) {
      append(fixture, [{ projectId: project.id, action }]);
      t.match(look(fixture, project, since), {
        flags: [],
        project: kind === 'project',
        other: kind === 'other',
      });
      since += 1;
    }
  }
  append(fixture, [{ action: 'member.edit' }]);
  t.match(look(fixture, project, since), { flags: [], project: false, other: true }, 'of the organisation');
});

t.test('what happened beside the project is not looked for without an end', async (t) => {
  const fixture = openOrganisation(t);
  const [project, other] = [fixture.addProject(), fixture.addProject()];
  const busy = (count: number) => Array.from({ length: count }, () => ({ projectId: other.id }));
  append(fixture, busy(20));
  t.match(look(fixture, project, 0), { project: false, other: false });
  append(fixture, busy(1));
  t.match(look(fixture, project, 0), { project: false, other: true }, 'it may have been the organisation');
});

t.test('more changes than are listed mean all of it', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  append(
    fixture,
    Array.from({ length: changesListedMax }, () => ({ projectId: project.id })),
  );
  t.equal(look(fixture, project, 0).flags.length, changesListedMax);
  append(fixture, [{ projectId: project.id }]);
  t.strictSame(look(fixture, project, 0), {
    sequence: changesListedMax + 1,
    flags: [],
    project: true,
    other: true,
  });
});

t.test('a personal project has a log of its own', async (t) => {
  const fixture = openOrganisation(t);
  const personal = projectOf(null, { ownerMemberId: fixture.owner.id });
  const targetId = newId();
  fixture.apply([
    creationOf('project', personal),
    { kind: 'audit', entry: auditEntryOf(personal.id, { projectId: personal.id, targetId }) },
  ]);
  append(fixture, [{ action: 'member.edit' }]);
  t.strictSame(look(fixture, personal, 0), { sequence: 1, flags: [targetId], project: false, other: false });
});
