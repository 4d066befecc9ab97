import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exportStore } from '../../src/cli/export/export-store.ts';
import type { ProvisionDocument } from '../../src/contracts/provision/provision-document.ts';
import type { RecordChange } from '../../src/domain/record-change.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { exampleDocument, type OpenedOperator, openOperator, problemsOf } from './open-operator.ts';

/*
 * New names may contain no line separators or direction marks, from any source. Records with names from before that
 * rule can be applied again.
 */

const turned = 'a\u2028b\u202e';

/** Gives every named record in the store a name from before the rule. */
function renameAll({ store, reader }: OpenedOperator): void {
  const { queries } = reader();
  const [organisation] = queries.organisations();
  const [member] = queries.members();
  const [project] = queries.projects();
  if (organisation === undefined || member === undefined || project === undefined) throw new Error('empty');
  const [flag] = queries.flagsOf(project.id);
  const [audience] = queries.audiencesOf(project.id);
  const [token] = queries.tokensOf(project.id);
  if (flag === undefined || audience === undefined || token === undefined) throw new Error('empty');
  const name = turned;
  const changes: RecordChange[] = [
    { kind: 'organisation', before: organisation, after: { ...organisation, name } },
    { kind: 'member', before: member, after: { ...member, name } },
    { kind: 'project', before: project, after: { ...project, name } },
    { kind: 'flag', before: flag, after: { ...flag, name }, environment: null },
    { kind: 'audience', before: audience, after: { ...audience, name } },
    { kind: 'token', before: token, after: { ...token, name } },
  ];
  store.write(({ apply }) => apply(changes));
}

async function exported(t: Parameters<typeof temporaryDirectory>[0], directory: string): Promise<string> {
  const output = join(temporaryDirectory(t), 'export.json');
  const filter = { organisation: null, project: null };
  await exportStore(directory, { filter, timeLimitMs: 60_000, isSkipping: false, output });
  return readFileSync(output, 'utf8');
}

const problem =
  'must not have line separators or characters that turn the direction of text, and this store has nothing of ' +
  'that name: rename it in the file, or copy the whole store with `burgee backup` and `burgee restore`, which keep names';

t.test(
  'names from before the rule can be exported and applied to their store, and are refused by an empty one',
  async (t) => {
    const opened = openOperator(t);
    await opened.apply(exampleDocument);
    renameAll(opened);
    const file = await exported(t, opened.directory);
    t.match(await opened.apply(file), { ok: true, counts: { created: 0, changed: 0 } });
    t.equal(await exported(t, opened.directory), file);

    const empty = openOperator(t);
    const project = 'organisations[0].projects[0]';
    const places = ['', '.members[0]', '.projects[0]', '.projects[0].audiences[0]', '.projects[0].tokens[0]'];
    t.strictSame(
      [...problemsOf(await empty.apply(file))].sort(),
      [...places.map((place) => `organisations[0]${place}`), `${project}.flags[0]`]
        .map((place) => `${place}.name ${problem}`)
        .sort(),
    );
    t.ok(empty.store.isEmpty());
    t.match(await empty.apply(file.replaceAll(turned, 'ab').replaceAll('a\\u2028b\u202e', 'ab')), {
      ok: true,
    });
  },
);

t.test('a member cannot get such a name', async (t) => {
  const { apply } = openOperator(t);
  await apply(exampleDocument);
  const renamed = structuredClone(exampleDocument) as ProvisionDocument & typeof exampleDocument;
  const [member] = renamed.organisations[0]?.members ?? [];
  if (member !== undefined) member.name = turned;
  t.strictSame(problemsOf(await apply(renamed)), [`organisations[0].members[0].name ${problem}`]);
});
