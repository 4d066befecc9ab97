import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildDocs, readFiles, writeFiles } from './docs-builder.ts';

const sound = {
  'api.md':
    '# API\n\n## <a id="first"></a>Part one\n\nSee [there](other.md#its-part), [here](#first), [why](decisions/README.md) and [the licence](../LICENSE).\n',
  'other.md':
    '# Other\n\n## Its part\n\nBack to [part one](api.md#first).\n\n![A picture](drawing.svg)\n\n![A screen](screens/shown.png)\n',
  'decisions/README.md': '# Decisions\n\n- [One](0001-one.md)\n',
  'decisions/0001-one.md': '# One\n\nSee the [API](../api.md) and [all](README.md).\n',
  'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'screens/shown.png': 'a picture',
  'screens/other.png': 'a picture that no page shows',
};

/** Writes the folder `docs` of a checkout. */
function writeDocs(t: Test, changed: Readonly<Record<string, string>> = {}): string {
  const checkout = writeFiles(temporaryDirectory(t), { LICENSE: 'a file outside docs' });
  return writeFiles(join(checkout, 'docs'), { ...sound, ...changed });
}

t.test('links between pages are relative to the pages’ served paths', async (t) => {
  const target = join(temporaryDirectory(t), 'out');
  const outcome = buildDocs(writeDocs(t), target);
  t.same(outcome, { status: 0, complaints: '' });
  const files = readFiles(target);
  t.match(files.get('index.html'), '<a href="docs/other">Other</a>');
  t.match(files.get('api.html'), '<a href="other#its-part">there</a>');
  t.match(files.get('api.html'), '<a href="#first">here</a>');
  t.match(files.get('api.html'), '<a href="decisions">why</a> and the licence.');
  t.match(files.get('other.html'), '<a href="api#first">part one</a>');
  t.match(files.get('other.html'), '<img src="drawing.svg" alt="A picture">');
  t.match(files.get('other.html'), '<img src="screens/shown.png" alt="A screen">');
  t.same([files.has('screens/shown.png'), files.has('screens/other.png')], [true, false]);
  t.match(files.get('decisions/index.html'), '<a href="decisions/0001-one">One</a>');
  t.match(files.get('decisions/0001-one.html'), '<a href="../api">API</a>');
  t.match(files.get('decisions/0001-one.html'), '<a href="../decisions">all</a>');
});

t.test('a link to nothing fails the build, also to a file outside', async (t) => {
  for (const link of ['none.md', 'other.md#none', '../none', 'decisions/none.md']) {
    const source = writeDocs(t, { 'api.md': `# API\n\n[a](${link})\n` });
    const { status, complaints } = buildDocs(source, join(temporaryDirectory(t), 'out'));
    t.equal(status, 1);
    t.match(complaints, `api.md: the link ${link} leads nowhere.`);
  }
});

t.test('a page that is in no group, in two or missing fails the build', async (t) => {
  const { buildSite } = (await import(
    pathToFileURL(join(repositoryRoot(), 'scripts', 'docs', 'site.mjs')).href
  )) as { buildSite: (directory: string, site: object) => { files: object; problems: readonly string[] } };
  const menu = [
    { title: 'One', about: '', pages: ['api.md', 'none.md'] },
    { title: 'Two', about: '', pages: ['api.md', 'decisions/README.md'] },
  ];
  const site = { menu, errors: [], extras: new Map(), reference: null, script: '', version: '1' };
  t.same(buildSite(writeDocs(t), site).problems, [
    'other.md is in no group of scripts/docs/site.mjs.',
    'none.md is in a group of scripts/docs/site.mjs, and does not exist.',
    'api.md is in scripts/docs/site.mjs twice.',
    'decisions/README.md is in scripts/docs/site.mjs twice.',
  ]);
});

t.test('a session has commands to copy, and headings have links to themselves', async (t) => {
  const target = join(temporaryDirectory(t), 'out');
  const session = '```console\n$ burgee check \\\n    --data-dir "$DIR"\nNothing is <damaged>.\n$ ls\n```\n';
  buildDocs(writeDocs(t, { 'api.md': `# API\n\n## <a id="first"></a>Part one\n\n${session}` }), target);
  const page = readFiles(target).get('api.html');
  const command = '<span class="prompt">$ </span><b class="command">';
  t.match(
    page,
    `${command}burgee check \\\n    --data-dir &quot;$DIR&quot;</b>\nNothing is &lt;damaged&gt;.\n${command}ls</b>`,
  );
  t.match(
    page,
    '<h2 id="first">Part one <a class="anchor" href="#first" aria-label="Link to: Part one">#</a></h2>',
  );
});

t.test('a folder that the builder did not make is not replaced', async (t) => {
  const target = writeFiles(temporaryDirectory(t), { 'precious.txt': 'kept' });
  const outcome = buildDocs(writeDocs(t), target);
  t.equal(outcome.status, 1);
  t.match(outcome.complaints, 'is not a documentation build');
  t.equal(readFiles(target).get('precious.txt'), 'kept');
});
