import t from 'tap';
import { applyFlagEdit } from '../../../src/domain/flag/apply-flag-edit.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import { parseFlagEdit, type SentFlag } from '../../../src/domain/flag/flag-edit.ts';
import { applyPatch, parsePatch } from '../../../src/domain/flag/flag-patch.ts';
import { flagView } from '../../../src/domain/flag/flag-view.ts';
import { flagEntityTag, parseTagCondition } from '../../../src/domain/management/entity-tag.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import {
  withEditedEnvironment,
  withEnvironment,
  withoutEnvironment,
} from '../../../src/domain/project/environment-edit.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import fc from '../../support/fast-check.ts';
import { anyPatchBody, bodyOf, flagWith, isKnownAudience, projectWith } from './domain-fixture.ts';

t.test('lists are read with any spacing, and malformed ones are refused', async (t) => {
  const opaques = (header: string) => parseTagCondition(header)?.tags.map(({ opaque }) => opaque);
  t.same(opaques('"a"'), ['a']);
  t.same(opaques(' "a" ,\t"b",W/"c"'), ['a', 'b', 'c']);
  t.same(opaques(',,"a",,'), ['a'], 'empty members');
  t.same(opaques('"a,b" , ""'), ['a,b', ''], 'a comma within a tag');
  t.same(opaques('"\u00e9"'), ['\u00e9'], 'non-ASCII tags of other servers are read');
  t.same(
    opaques('"5-2-gzip", "5-2--gzip", "5-2;br", W/"5-2-zstd"'),
    ['5-2', '5-2', '5-2', '5-2'],
    'proxies add codings',
  );
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

t.test('a header of the greatest length is read quickly', async (t) => {
  for (const unit of [' ', '"', ',', '" ', '"",', 'W/', 'W/"', '\t,']) {
    const before = process.cpuUsage();
    parseTagCondition(`"a"${unit.repeat(16_384 / unit.length)}x`);
    // Measures CPU time, because the machine may be busy with other tests.
    t.ok(process.cpuUsage(before).user < 100_000, JSON.stringify(unit));
  }
});

interface Stored {
  readonly flag: Flag;
  readonly project: Project;
}

/** The changes that the API, the console and `apply` can make to a flag and to its project's environments. */
type Change = (stored: Stored, now: number) => Stored;

const patches = fc.record({ number: fc.integer({ min: 1, max: 3 }), body: anyPatchBody }).map(
  ({ number, body }): Change =>
    ({ flag, project }, now) => {
      const patch = parsePatch(bodyOf(body), isKnownAudience, new ProblemList());
      return { flag: applyPatch(flag, number, patch, now).flag, project };
    },
);

const edits = fc
  .constantFrom<SentFlag>(
    { name: 'another' },
    { name: 'checkout', cohorts: ['a'] },
    { cohorts: [] },
    { description: 'new', tags: ['t'] },
  )
  .map(
    (sent): Change =>
      ({ flag, project }, now) => {
        const edit = parseFlagEdit(sent, project, isKnownAudience, new ProblemList());
        return { flag: applyFlagEdit(flag, project, edit, now).flag, project };
      },
  );

const environmentChanges = fc
  .record({
    kind: fc.constantFrom('add', 'rename', 'protect', 'remove'),
    name: fc.constantFrom('test', 'staging', 'live'),
  })
  .map(
    ({ kind, name }): Change =>
      ({ flag, project }) => {
        const [first] = project.environments;
        const isTaken = project.environments.some((one) => one.name === name);
        if (kind === 'add')
          return { flag, project: isTaken ? project : withEnvironment(project, name, false) };
        if (first === undefined || (kind === 'rename' && isTaken)) return { flag, project };
        if (kind === 'remove') return { flag, project: withoutEnvironment(project, first.number) };
        const settings = kind === 'rename' ? { name } : { isProtected: !first.isProtected };
        return { flag, project: withEditedEnvironment(project, first, settings).project };
      },
  );

t.test('after any changes, with any clock, equal tags mean equal representations', async () => {
  const change = fc.tuple(fc.oneof(patches, edits, environmentChanges), fc.constantFrom(0, 4000, 9000));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 30 }), (changes) => {
      let stored: Stored = { flag: flagWith({}), project: projectWith(['production', 'staging']) };
      const shown = new Map<string, string>();
      for (const [apply, now] of changes) {
        const before = stored;
        stored = apply(stored, now);
        const tag = flagEntityTag(stored.flag, stored.project);
        const view = JSON.stringify(flagView(stored.flag, stored.project, null));
        if ((shown.get(tag) ?? view) !== view) return false;
        shown.set(tag, view);
        const isSame = stored.flag === before.flag && stored.project === before.project;
        if (isSame && tag !== flagEntityTag(before.flag, before.project)) return false;
      }
      return true;
    }),
  );
});
