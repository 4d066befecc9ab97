import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { cases, topics } from './cases.ts';
import type { ConformanceCase, Step } from './conformance-case.ts';
import { namesInFixture, readFixture, readGivens, readHeadings } from './fixture.ts';
import { placeholdersIn } from './placeholders.ts';

/* Tests of the cases themselves: with a misspelt name or placeholder a case would check less than it seems to. */
const casesMin = 250;

const builtIn = ['case', 'docsUrl', 'foreignToken', 'inAnHour', 'anHourAgo'];

t.test('there are enough cases, each with an id of its own', async (t) => {
  t.ok(cases.length >= casesMin, `${cases.length} cases in ${topics.length} topics`);
  t.equal(new Set(cases.map(({ id }) => id)).size, cases.length);
});

t.test('each case quotes a sentence and checks something', async (t) => {
  const empty = cases.filter(({ sentence, steps }) => sentence === '' || steps.length === 0);
  t.same(
    empty.map(({ id }) => id),
    [],
  );
});

t.test('the givens and headings that cases name exist', async (t) => {
  const givens = readGivens();
  const sources = [...readHeadings()].flatMap(([document, headings]) =>
    headings.map((heading) => `${document}: ${heading}`),
  );
  t.same(
    cases.filter(({ given }) => !givens.has(given)).map(({ id }) => id),
    [],
  );
  t.same(
    cases.filter(({ source }) => !sources.includes(source)).map(({ id }) => id),
    [],
  );
  t.test('and every heading has cases', async (t) => {
    const used = new Set(cases.map(({ source }) => source));
    t.same(
      sources.filter((source) => !used.has(source)),
      [],
    );
  });
});

t.test('a quoted sentence of the documentation is in it word for word', async (t) => {
  const spaced = (text: string): string => text.replace(/\s+/g, ' ');
  for (const name of ['api.md', 'errors.md']) {
    const page = spaced(readFileSync(join(repositoryRoot(), 'docs', name), 'utf8'));
    const documented = cases.filter(({ source }) => source.startsWith(`${name}: `));
    t.ok(documented.length > 0);
    t.same(
      documented.filter(({ sentence }) => !page.includes(spaced(sentence))).map(({ id }) => id),
      [],
    );
  }
});

t.test('every placeholder has a value', async (t) => {
  const unknown = cases.flatMap((one) => unknownPlaceholders(one).map((name) => `${one.id}: ${name}`));
  t.same(unknown, []);
});

t.test('every given is used', async (t) => {
  const used = new Set(cases.map(({ given }) => given));
  t.same(
    [...readGivens().keys()].filter((given) => !used.has(given)),
    [],
  );
});

function requestsOf(step: Step): object[] {
  if ('request' in step) return [step.request];
  if ('hold' in step) return [step.hold.request];
  return 'tally' in step ? [step.tally.request] : [];
}

/** A name counts as captured from the step after the one that captures it. */
function unknownPlaceholders(one: ConformanceCase): string[] {
  const fixture = readGivens().get(one.given)?.fixture ?? '';
  const known = new Set([...namesInFixture(readFixture(fixture)), ...builtIn]);
  const unknown: string[] = [];
  for (const step of one.steps) {
    const tokens = requestsOf(step).flatMap((request) => ('token' in request ? [request.token] : []));
    unknown.push(...tokens.map((token) => `token:${token}`).filter((name) => !known.has(name)));
    unknown.push(...placeholdersIn(step).filter((name) => !known.has(name)));
    for (const name of Object.keys('capture' in step ? (step.capture ?? {}) : {})) known.add(name);
  }
  return unknown;
}
