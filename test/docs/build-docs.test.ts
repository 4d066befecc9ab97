import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildDocs, readFiles, writeFiles } from './docs-builder.ts';

const sound = {
  'api.md':
    '# API\n\n## Part one {#first}\n\nSee [there](other.md#its-part), [here](#first) and [why](decisions/README.md).\n',
  'other.md':
    '# Other\n\n## Its part\n\nBack to [part one](api.md#first).\n\n![A picture](drawing.svg)\n\n![A screen](screens/shown.png)\n',
  'decisions/README.md': '# Decisions\n\n- [One](0001-one.md)\n',
  'decisions/0001-one.md': '# One\n\nSee the [API](../api.md) and [all](README.md).\n',
  'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'screens/shown.png': 'a picture',
  'screens/other.png': 'a picture that no page shows',
};

t.test('links between pages are relative to the pages’ served paths', async (t) => {
  const target = join(temporaryDirectory(t), 'out');
  const outcome = buildDocs(writeFiles(temporaryDirectory(t), sound), target);
  t.same(outcome, { status: 0, complaints: '' });
  const files = readFiles(target);
  t.match(files.get('index.html'), '<a href="docs/other#its-part">there</a>');
  t.match(files.get('index.html'), '<a href="#first">here</a>');
  t.match(files.get('index.html'), '<a href="docs/decisions">why</a>');
  t.match(files.get('other.html'), '<a href="../docs#first">part one</a>');
  t.match(files.get('other.html'), '<img src="drawing.svg" alt="A picture">');
  t.match(files.get('other.html'), '<img src="screens/shown.png" alt="A screen">');
  t.same([files.has('screens/shown.png'), files.has('screens/other.png')], [true, false]);
  t.match(files.get('decisions/index.html'), '<a href="decisions/0001-one">One</a>');
  t.match(files.get('decisions/0001-one.html'), '<a href="../../docs">API</a>');
  t.match(files.get('decisions/0001-one.html'), '<a href="../decisions">all</a>');
});

t.test('the same pages give the same bytes', async (t) => {
  const source = writeFiles(temporaryDirectory(t), sound);
  const [one, other] = [join(temporaryDirectory(t), 'out'), join(temporaryDirectory(t), 'out')];
  buildDocs(source, one);
  buildDocs(source, other);
  t.ok(readFiles(one).size > 5);
  t.same([...readFiles(one)], [...readFiles(other)]);
});

t.test('an explicit id survives a new wording, and is not shown', async (t) => {
  const target = join(temporaryDirectory(t), 'out');
  buildDocs(writeFiles(temporaryDirectory(t), sound), target);
  const page = readFiles(target).get('index.html') ?? '';
  t.match(page, '<h2 id="first">Part one ');
  t.notMatch(page, '{#');
});

const broken: readonly (readonly [
  why: string,
  files: Readonly<Record<string, string>>,
  complaint: string,
])[] = [
  [
    'a page that does not exist',
    { 'api.md': '# A\n\n[x](missing.md)\n' },
    'api.md: the link missing.md leads nowhere.',
  ],
  [
    'a section of another page',
    { 'api.md': '# A\n\n[x](b.md#no)\n', 'b.md': '# B\n' },
    'the link b.md#no leads nowhere.',
  ],
  ['a section of its own page', { 'api.md': '# A\n\n[x](#no)\n' }, 'the link #no leads nowhere.'],
  [
    'a file beyond the documentation',
    { 'api.md': '# A\n\n[x](../LICENSE)\n' },
    'the link ../LICENSE leads nowhere.',
  ],
  ['a picture that does not exist', { 'api.md': '# A\n\n![x](no.svg)\n' }, 'the link no.svg leads nowhere.'],
  ['a picture from elsewhere', { 'api.md': '# A\n\n![x](https://example.test/x.png)\n' }, 'is not ours'],
  ['an id that stands twice', { 'api.md': '# A\n\n## One\n\n## One\n' }, 'the id "one" stands twice.'],
  ['raw HTML', { 'api.md': '# A\n\n<script>alert(1)</script>\n' }, 'raw HTML is not used here'],
  ['no title', { 'api.md': 'Text.\n' }, 'one heading of the first level'],
];

for (const [why, files, complaint] of broken) {
  t.test(`the build fails on ${why}, and writes nothing`, async (t) => {
    const target = join(temporaryDirectory(t), 'out');
    const outcome = buildDocs(writeFiles(temporaryDirectory(t), files), target);
    t.equal(outcome.status, 1);
    t.match(outcome.complaints, complaint);
    t.notOk(existsSync(target));
  });
}

t.test('all problems are reported at once', async (t) => {
  const source = writeFiles(temporaryDirectory(t), { 'api.md': '# A\n\n[x](no.md)\n\n[y](#no)\n' });
  const outcome = buildDocs(source, join(temporaryDirectory(t), 'out'));
  t.match(outcome.complaints, 'no.md leads nowhere');
  t.match(outcome.complaints, '#no leads nowhere');
  t.match(outcome.complaints, 'has 2 problem(s)');
});

t.test('a folder that the builder did not make is not replaced', async (t) => {
  const target = writeFiles(temporaryDirectory(t), { 'precious.txt': 'kept' });
  const outcome = buildDocs(writeFiles(temporaryDirectory(t), sound), target);
  t.equal(outcome.status, 1);
  t.match(outcome.complaints, 'is not a documentation build');
  t.equal(readFiles(target).get('precious.txt'), 'kept');
});

t.test('a page removed from the source is removed from the build', async (t) => {
  const target = join(temporaryDirectory(t), 'out');
  const { 'drawing.svg': drawing, 'api.md': api } = sound;
  const more = { 'api.md': '# API\n', 'extra.md': '# Extra\n', 'drawing.svg': drawing };
  buildDocs(writeFiles(temporaryDirectory(t), more), target);
  t.ok(readFiles(target).has('extra.html'));
  t.equal(buildDocs(writeFiles(temporaryDirectory(t), { ...sound, 'api.md': api }), target).status, 0);
  t.notOk(readFiles(target).has('extra.html'));
});
