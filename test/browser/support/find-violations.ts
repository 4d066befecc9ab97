import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Of axe's two builds the one without comments, which is sent to each page and parsed there in less than half of the time. */
const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules about colours: another colour scheme changes nothing else. */
const colourRules = ['color-contrast', 'link-in-text-block'];

interface Look {
  /**
   * Checks only the rules about colours, and of a page with a dialog only the dialog: the page below is checked as a
   * screen of its own.
   */
  readonly isAtColours?: boolean;
}

/** One line for each place that breaks a rule. */
function runOf({ isAtColours = false }: Look): string {
  const rules = isAtColours ? { runOnly: { type: 'rule', values: colourRules } } : {};
  const options = { resultTypes: ['violations'], preload: false, ...rules };
  return `withoutRepeatedRows(() => axe.run(${isAtColours ? 'topmost()' : 'document'}, ${JSON.stringify(options)}))
  .then(({ violations, passes }) => ({
    passed: passes.length,
    lines: violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + help + ' at ' + target.join(' ') + '\\n' + failureSummary)),
  }))`;
}

const dialogs = '[role=dialog][aria-modal=true]';
const topmost = `function topmost() {
  return { include: [document.querySelector('${dialogs}') === null ? document : '${dialogs}'] };
}`;

/**
 * A log has a hundred rows of a few kinds, and what axe says of one it says of its like. Of the rows of a list with the
 * same elements, attributes and places for words, the first is checked: only words, targets and lengths differ. The others
 * are made invisible meanwhile, and keep their places. To exclude them takes longer: axe compares each element with each
 * excluded row, and still asks for the place and the colours of every element.
 */
const repeatedRows = `function repeatedRows() {
  const differing = new Set(['id', 'href', 'for', 'title', 'datetime', 'data-index',
    'aria-label', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-rowindex', 'aria-posinset']);
  const shapeOf = (element) => {
    const attributes = [...element.attributes].map(({ name, value }) => {
      if (differing.has(name)) return name;
      return name + '=' + (name === 'style' ? value.replace(/[0-9.]+/g, '0') : value);
    });
    const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const parts = [element.tagName, words, ...attributes, ...[...element.children].map(shapeOf)];
    return '(' + parts.join(' ') + ')';
  };
  const shapes = new Map();
  return [...document.querySelectorAll('li, tr, [role=row]')].filter((row) => {
    const known = shapes.get(row.parentElement) ?? new Set();
    shapes.set(row.parentElement, known);
    const shape = shapeOf(row);
    const isRepeated = known.has(shape);
    known.add(shape);
    return isRepeated;
  });
}
async function withoutRepeatedRows(run) {
  const rows = repeatedRows();
  const before = rows.map((row) => row.getAttribute('style'));
  for (const row of rows) row.style.setProperty('visibility', 'hidden', 'important');
  try {
    return await run();
  } finally {
    rows.forEach((row, place) => {
      if (before[place] === null) row.removeAttribute('style');
      else row.style.removeProperty('visibility');
    });
  }
}`;

interface Violations {
  /** How many rules the page passed: 0 would mean that nothing was checked. */
  readonly passed: number;
  readonly lines: readonly string[];
}

/** Checks the page in its present state. */
export type FindViolations = (look?: Look) => Promise<Violations>;

/**
 * Loads axe beside a page while `use` runs; the document must stay meanwhile. axe runs in an isolated world, so that
 * the content security policy stays in force and the page does not notice.
 */
export async function withAxe<Found>(
  page: Page,
  use: (find: FindViolations) => Promise<Found>,
): Promise<Found> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    });
    const evaluate = async (expression: string): Promise<unknown> => {
      const options = { contextId, expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? 'axe failed');
      return result.value;
    };
    await evaluate(`${axeScript}\n${topmost}\n${repeatedRows}\nundefined`);
    return await use(async (look = {}) => (await evaluate(runOf(look))) as Violations);
  } finally {
    await session.detach();
  }
}

/** Checks all rules once. */
export function findViolations(page: Page): Promise<Violations> {
  return withAxe(page, (find) => find());
}
