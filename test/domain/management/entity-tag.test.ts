import fc from 'fast-check';
import t from 'tap';
import {
  flagEntityTag,
  isRevalidated,
  parseTagCondition,
  permitsRevision,
  readIfMatch,
} from '../../../src/domain/management/entity-tag.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import { flagWith, projectWith } from './domain-fixture.ts';

const flag = { ...flagWith({}), revision: 5 };
const project = { ...projectWith(null), environmentsRevision: 2 };

t.test('a tag is made of both revisions, and moves with either', async (t) => {
  t.equal(flagEntityTag(flag, project), '"5-2"');
  t.equal(flagEntityTag({ ...flag, revision: 52 }, { ...project, environmentsRevision: 1 }), '"52-1"');
});

t.test('lists are read whatever their spacing, and what is no list is refused', async (t) => {
  const opaques = (header: string) => parseTagCondition(header)?.tags.map(({ opaque }) => opaque);
  t.same(opaques('"a"'), ['a']);
  t.same(opaques(' "a" ,\t"b",W/"c"'), ['a', 'b', 'c']);
  t.same(opaques(',,"a",,'), ['a'], 'empty members');
  t.same(opaques('"a,b" , ""'), ['a,b', ''], 'a comma within a tag');
  t.same(opaques('"\u00e9"'), ['\u00e9'], 'what is not ASCII may be another server\u2019s');
  t.match(parseTagCondition(' * '), { isAny: true });
  for (const header of [
    '',
    ' ',
    ',',
    'a',
    '"a',
    'a"',
    '"a""b"',
    '"a" "b"',
    'w/"a"',
    'W/ "a"',
    '*,"a"',
    '"a b"',
  ]) {
    t.equal(parseTagCondition(header), null, header);
  }
});

t.test('a header as long as the server takes is read in no time', async (t) => {
  for (const unit of [' ', '"', ',', '" ', '"",', 'W/', 'W/"', '\t,']) {
    const startedAt = performance.now();
    parseTagCondition(`"a"${unit.repeat(16_384 / unit.length)}x`);
    t.ok(performance.now() - startedAt < 100, JSON.stringify(unit));
  }
});

t.test('If-None-Match compares weakly, and asks nothing when it is malformed', async (t) => {
  for (const header of ['"5-2"', 'W/"5-2"', '"x", "5-2"', '*']) t.ok(isRevalidated(header, flag, project));
  for (const header of [null, '5-2', '"5-3"', '"4-2"', '"5"', '"x"', '', '"5-2" "5-2"']) {
    t.notOk(isRevalidated(header, flag, project), String(header));
  }
});

t.test('If-Match compares the flag\u2019s revision alone, strongly', async (t) => {
  const permits = (header: string) => {
    const problems = new ProblemList();
    const condition = readIfMatch(header, problems);
    return condition === null ? problems.detail() : permitsRevision(condition, flag);
  };
  for (const header of ['"5-2"', '"5-1"', '"5-999"', '"4-2", "5-2"', '*'])
    t.equal(permits(header), true, header);
  for (const header of ['W/"5-2"', '"4-2"', '"05-2"', '"5"', '"5-"', '"5-2-1"', '"x5-2"', '""']) {
    t.equal(permits(header), false, header);
  }
  t.match(permits('5-2'), /^the header If-Match must be/);
  t.equal(readIfMatch(null, new ProblemList()), null);
});

t.test('a condition on another revision never holds', async () => {
  const revision = fc.integer({ min: 1, max: 1e9 });
  fc.assert(
    fc.property(revision, revision, revision, revision, (left, leftProject, right, rightProject) => {
      const tag = flagEntityTag(
        { ...flag, revision: left },
        { ...project, environmentsRevision: leftProject },
      );
      const now = { ...flag, revision: right };
      const nowProject = { ...project, environmentsRevision: rightProject };
      const isSame = left === right && leftProject === rightProject;
      const condition = readIfMatch(tag, new ProblemList());
      const isPermitted = condition !== null && permitsRevision(condition, now);
      return isRevalidated(tag, now, nowProject) === isSame && isPermitted === (left === right);
    }),
  );
});
