import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { changesListedMax } from '../../../src/domain/audit/watched-changes.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import { newId } from '../../../src/support/random-id.ts';
import { auditEntryOf, creationOf, projectOf } from '../../storage/support/records.ts';
import { type OrganisationFixture, openOrganisation } from './organisation-fixture.ts';

const nothing = {
  ...{ flags: [], everyFlag: false, audiences: false },
  ...{ project: false, tokens: false, organisation: false },
};

function append(fixture: OrganisationFixture, entries: readonly Partial<AuditEntry>[]): void {
  const ledgerId = fixture.organisation.id;
  fixture.apply(entries.map((entry) => ({ kind: 'audit', entry: auditEntryOf(ledgerId, entry) })));
}

/**
 * @param project null for a page without one @param since a position of the store's own history. @returns the changes, with
 * such a position
 */
function look(fixture: OrganisationFixture, project: Project | null, since?: string) {
  const [history = ''] = ask(fixture, null).position.split('-');
  const changes = ask(fixture, project, since === undefined ? undefined : `${history}-${since}`);
  return { ...changes, position: changes.position.slice(history.length + 1) };
}

/** As `look`, with positions as they are sent. */
function ask(fixture: OrganisationFixture, project: Project | null, since?: string) {
  const query = since === undefined ? {} : { since };
  const { value, text } =
    project === null
      ? fixture.read('look-at-organisation', fixture.owner, { query })
      : fixture.read('look-at-project', fixture.owner, { params: { projectId: project.id }, query });
  const { organisationId, ...changes } = JSON.parse(text === '' ? JSON.stringify(value) : text);
  if (organisationId !== fixture.organisation.id) throw new Error('This is not of the organisation');
  return changes;
}

t.test('a page begins at the newest entry, and gets all later ones', async (t) => {
  const fixture = openOrganisation(t);
  const [project, other] = [fixture.addProject(), fixture.addProject()];
  const [first, second] = [newId(), newId()];
  t.strictSame(look(fixture, project), { position: '0.0', ...nothing }, 'an empty log');
  append(fixture, [{ projectId: project.id, targetId: newId() }]);
  t.strictSame(look(fixture, project), { position: '1.0', ...nothing });
  t.strictSame(look(fixture, project, '1.0'), { position: '1.0', ...nothing });
  append(fixture, [
    { projectId: project.id, targetId: first },
    { projectId: project.id, targetId: second, action: 'flag.delete' },
    { projectId: project.id, targetId: first, action: 'flag.edit' },
  ]);
  t.strictSame(look(fixture, project, '1.0'), { position: '4.0', ...nothing, flags: [first, second] });
  t.strictSame(
    look(fixture, other, '1.0'),
    { position: '4.0', ...nothing },
    'another project’s changes are not sent',
  );
  t.strictSame(
    look(fixture, null, '1.0'),
    { position: '4.0', ...nothing },
    'and not to a page without a project',
  );
});

t.test('to a page that knows another history all may have changed, also at the same position', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  append(fixture, [{ projectId: project.id, targetId: newId() }]);
  const everything = { everyFlag: true, audiences: true, project: true, tokens: true, organisation: true };
  t.match(ask(fixture, project, `${newId()}-1.0`), { position: /^\w{20}-1\.0$/, ...everything });
  t.match(ask(fixture, null, `${newId()}-1.0`), { organisation: true });
});

t.test('the changed kind follows from the action', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const actions = {
    audiences: ['audience.create', 'audience.edit', 'audience.delete'],
    project: ['project.edit', 'environment.edit'],
    tokens: ['token.create', 'token.revoke', 'token.rotate'],
  } as const;
  let since = 0;
  for (const kind of ['audiences', 'project', 'tokens'] as const) {
    for (const action of actions[kind]) {
      append(fixture, [{ projectId: project.id, action }]);
      t.match(look(fixture, project, `${since}.0`), { ...nothing, [kind]: true }, action);
      since += 1;
    }
  }
  for (const action of ['environment.create', 'environment.delete'] as const) {
    append(fixture, [{ projectId: project.id, action }]);
    t.match(look(fixture, project, `${since}.0`), { ...nothing, everyFlag: true, project: true }, action);
    since += 1;
  }
  append(fixture, [{ action: 'member.edit' }]);
  for (const page of [project, null]) {
    t.match(
      look(fixture, page, `${since}.0`),
      { ...nothing, organisation: true },
      'a change of the organisation',
    );
  }
});

t.test('of other projects, changes are sent that the list of projects shows', async (t) => {
  const fixture = openOrganisation(t);
  const [project, other] = [fixture.addProject(), fixture.addProject()];
  const shown = { 'project.create': true, 'environment.edit': true, 'token.create': false } as const;
  let since = 0;
  for (const [action, organisation] of Object.entries(shown)) {
    append(fixture, [{ projectId: other.id, action: action as keyof typeof shown }]);
    for (const page of [project, null]) {
      t.match(look(fixture, page, `${since}.0`), { ...nothing, organisation }, action);
    }
    since += 1;
  }
});

t.test('the search past entries of other projects is bounded', async (t) => {
  const fixture = openOrganisation(t);
  const [project, other] = [fixture.addProject(), fixture.addProject()];
  const busy = (count: number) => Array.from({ length: count }, () => ({ projectId: other.id }));
  append(fixture, busy(20));
  t.match(look(fixture, project, '0.0'), { project: false, organisation: false });
  append(fixture, busy(1));
  t.match(
    look(fixture, project, '0.0'),
    { project: false, organisation: true },
    'the project may have changed',
  );
});

t.test('more changes than can be listed mean that all may have changed', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  append(
    fixture,
    Array.from({ length: changesListedMax }, () => ({ projectId: project.id })),
  );
  t.equal(look(fixture, project, '0.0').flags.length, changesListedMax);
  append(fixture, [{ projectId: project.id }]);
  t.strictSame(look(fixture, project, '0.0'), {
    position: `${changesListedMax + 1}.0`,
    flags: [],
    everyFlag: true,
    audiences: true,
    project: true,
    tokens: true,
    organisation: true,
  });
});

t.test('a personal project has its own log, and its page gets the organisation’s too', async (t) => {
  const fixture = openOrganisation(t);
  const personal = projectOf(null, { ownerMemberId: fixture.owner.id });
  const targetId = newId();
  fixture.apply([
    creationOf('project', personal),
    { kind: 'audit', entry: auditEntryOf(personal.id, { projectId: personal.id, targetId }) },
  ]);
  t.strictSame(look(fixture, personal, '0.0'), { position: '0.1', ...nothing, flags: [targetId] });
  append(fixture, [{ action: 'member.edit' }]);
  t.strictSame(look(fixture, personal, '0.1'), { position: '1.1', ...nothing, organisation: true });
});

t.test('after a restore of an older store, all may have changed', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  append(fixture, [{ projectId: project.id }]);
  const all = {
    ...{ position: '1.0', flags: [], everyFlag: true, audiences: true },
    ...{ project: true, tokens: true, organisation: true },
  };
  t.strictSame(look(fixture, project, '7.0'), all);
});

t.test('an invalid position is refused', async (t) => {
  const fixture = openOrganisation(t);
  for (const since of ['', '1', '-1.0', '1.0.0', '01.0', '1.x', `${'9'.repeat(16)}.0`]) {
    const { problem } = fixture.read('look-at-organisation', fixture.owner, { query: { since } });
    t.equal(problem?.code, 'invalid-request', since);
  }
});
