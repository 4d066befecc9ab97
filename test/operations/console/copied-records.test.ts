import t, { type Test } from 'tap';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import { newId } from '../../../src/support/random-id.ts';
import { denialOf, flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { plainSettings, type ReadId, requestOf, runRead, type SentToOperation } from '../run-operation.ts';
import { type ConsoleFixture, openConsole } from './console-fixture.ts';

/** More than a search reads. */
const flagsTotal = 320;

interface Copies {
  readonly all: number;
  /** Between two pauses. */
  readonly most: number;
}

/**
 * Counts how many records of flags are found, each of which is copied, however long: beside them other requests wait.
 */
function copiesOf(fixture: ConsoleFixture, id: ReadId, project: Project, sent: SentToOperation): Copies {
  return fixture.query((stored) => {
    let [all, step, most] = [0, 0, 0];
    const foundFlag: RecordQueries['foundFlag'] = (flagId) => {
      all += 1;
      step += 1;
      return stored.foundFlag(flagId);
    };
    const queries = new Proxy(stored, {
      get: (target, name) => (name === 'foundFlag' ? foundFlag : Reflect.get(target, name, target)),
    });
    const { organisation, owner: member } = fixture;
    const asker = { session: {}, member, organisation, project, role: 'owner' };
    const answered = runRead(id, queries, requestOf(sent), asker, {
      ...plainSettings,
      now: fixture.now,
      newId,
    } as never);
    if (!answered.ok) throw new Error(answered.problem.detail);
    const { later, pieces } = answered.value;
    const steps = later ?? pieces?.text[Symbol.iterator]();
    if (steps === undefined) return { all, most: step };
    for (let isDone = false; !isDone; step = 0) {
      isDone = steps.next().done === true;
      most = Math.max(most, step);
    }
    return { all, most };
  });
}

function openWithFlags(t: Test) {
  const fixture = openConsole(t);
  const [project, other] = ['shop', 'other'].map((name) => fixture.addProject(null, { name }));
  if (project === undefined || other === undefined) throw new Error('there is no project');
  const flags = Array.from({ length: flagsTotal }, (_, at) =>
    flagOf(project.id, { name: `sought ${at}`, states: new Map() }),
  );
  fixture.apply(flags.map((flag) => flagChangeOf(null, flag)));
  return { fixture, project, other, ids: flags.map(({ id }) => id) };
}

t.test('a search copies one record in a step, and none when it may read no more', async (t) => {
  const { fixture, project, other } = openWithFlags(t);
  const search = (q: string, inProject: Project): Copies =>
    copiesOf(fixture, 'search-console', inProject, { query: { q, project: inProject.id } });
  t.same(search('sought', project), { all: 300, most: 1 });
  t.same(search('', project), { all: 301, most: 1 }, 'and one that is not read any more');
  const cohorts = ['x'.repeat(1024 * 1024)];
  const long = Array.from({ length: 30 }, (_, at) => flagOf(other.id, { name: `long ${at}`, cohorts }));
  fixture.apply(long.map((flag) => flagChangeOf(null, flag)));
  t.same(search('long', other), { all: 16, most: 1 }, 'of 16 MiB');
});

t.test('flags are listed by their ids with a pause after each, also those of other projects', async (t) => {
  const { fixture, other, ids } = openWithFlags(t);
  const asked = { query: { ids: [...ids.slice(0, 50), ...ids.slice(0, 50)].join() } };
  t.same(copiesOf(fixture, 'list-console-flags', other, asked), { all: 50, most: 1 });
});

t.test("a token's page names the flags of its denials with a pause after each", async (t) => {
  const { fixture, project, ids } = openWithFlags(t);
  const token = fixture.addToken(project);
  const denials = ids.slice(0, 60).map((flagId, at) => denialOf(token.id, { at, flagId }));
  fixture.apply(denials.map((denial) => ({ kind: 'activity', denial })));
  const asked = { params: { tokenId: token.id } };
  t.same(copiesOf(fixture, 'read-token-activity', project, asked), { all: 60, most: 1 });
});

t.test('flags of one name are found without a copy of any', async (t) => {
  const { fixture, project } = openWithFlags(t);
  const asked = { query: { name: 'sought 7' } };
  t.same(copiesOf(fixture, 'find-flags-named', project, asked), { all: 0, most: 0 });
});
