import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { problemTable } from '../../src/contracts/problem-table.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { cases } from './cases.ts';
import type { Expected } from './conformance-case.ts';
import { memberOf } from './matchers.ts';

/*
 * Problem table, documentation page and cases must agree, in both directions. Three problems have no case: no
 * request can cause an internal failure (500), a stalled body takes time (robustness/ tests it), and a change that is not
 * confirmed needs a cluster (cluster/three-nodes tests it).
 */
const withoutCase = new Set(['internal-error', 'request-timeout', 'not-confirmed']);

interface DocumentedError {
  readonly section: string;
  readonly status: number;
  readonly text: string;
}

const documented = documentedErrors(readFileSync(join(repositoryRoot(), 'docs', 'errors.md'), 'utf8')).filter(
  ({ section }) => section !== 'console',
);
const expectedErrors = errorsInCases();
/** The console's own problems share one section. */
const problems = Object.entries(problemTable).filter(([, { section }]) => section !== 'console');

t.test('every problem has a section in the documentation, with status and title', async (t) => {
  for (const [code, { status, title, section }] of problems) {
    const found = documented.find((error) => error.section === section);
    t.equal(found?.status, status, `${code}: the status in the section`);
    t.ok(found?.text.includes(title), `${code}: the section says ${title}`);
  }
});

t.test('every documented error is a problem of the table', async (t) => {
  const sections = problems.map(([, { section }]) => section);
  t.same(
    documented.filter(({ section }) => !sections.includes(section)),
    [],
  );
  t.equal(documented.length, sections.length);
});

t.test('every problem has a case that expects its status and title', async (t) => {
  for (const [code, { status, title }] of problems) {
    if (withoutCase.has(code)) continue;
    t.ok(expectedErrors.has(`${status} ${title}`), `${code}: a case expects ${status} ${title}`);
  }
});

t.test('every error that a case expects is in the table', async (t) => {
  const known = new Set(problems.map(([, { status, title }]) => `${status} ${title}`));
  t.same(
    [...expectedErrors].filter((error) => !known.has(error)),
    [],
  );
});

/** The page's sections: `## <a id="section"></a>title`, then `**status`. */
function documentedErrors(text: string): DocumentedError[] {
  const errors: DocumentedError[] = [];
  for (const part of text.split(/^## /m).slice(1)) {
    const section = /^<a id="([\w-]+)">/.exec(part)?.[1] ?? '';
    errors.push({ section, status: Number(/^\*\*(\d{3})/m.exec(part)?.[1]), text: part });
  }
  return errors;
}

function errorsInCases(): Set<string> {
  const errors = new Set<string>();
  for (const { steps } of cases) {
    for (const step of steps) {
      if (!('expect' in step)) continue;
      const { status, body, bodyMatches } = step.expect;
      const title = titleOf(body) ?? titleOf(bodyMatches);
      if (title !== null && typeof status === 'number') errors.add(`${status} ${title}`);
    }
  }
  return errors;
}

function titleOf(body: Expected | undefined): string | null {
  const title = memberOf(body, 'error');
  return typeof title === 'string' ? title : null;
}
