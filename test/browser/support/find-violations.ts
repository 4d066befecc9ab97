import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules that another colour scheme may break where the first one does not: it changes colours and nothing else. */
const colourRules = ['color-contrast', 'link-in-text-block'];

interface Look {
  /**
   * Only at what depends on colours, and of a page below a dialog at the dialog: the page itself is looked at where it
   * is a screen of its own.
   */
  readonly isAtColours?: boolean;
}

/** One line for each place that breaks a rule. */
function runOf({ isAtColours = false }: Look): string {
  const rules = isAtColours ? { runOnly: { type: 'rule', values: colourRules } } : {};
  const options = { resultTypes: ['violations'], preload: false, ...rules };
  return `axe
  .run(${isAtColours ? 'topmost()' : 'document'}, ${JSON.stringify(options)})
  .then(({ violations, passes }) => ({
    passed: passes.length,
    lines: violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + help + ' at ' + target.join(' ') + '\\n' + failureSummary)),
  }))`;
}

const dialogs = '[role=dialog][aria-modal=true]';
const topmost = `function topmost() {
  return document.querySelector('${dialogs}') === null ? document : { include: ['${dialogs}'] };
}`;

interface Violations {
  /** Rules that something on the page met: none would mean that nothing was looked at. */
  readonly passed: number;
  readonly lines: readonly string[];
}

/** Looks at the page as it stands. */
type FindViolations = (look?: Look) => Promise<Violations>;

/**
 * Lends axe to a page for as long as `use` takes, and the page may not be left before. It runs in a world of its own, so
 * that the content security policy stays as it is and the page does not notice.
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
    await evaluate(`${axe.source}\n${topmost}\nundefined`);
    return await use(async (look = {}) => (await evaluate(runOf(look))) as Violations);
  } finally {
    await session.detach();
  }
}

/** Looks once, at everything. */
export function findViolations(page: Page): Promise<Violations> {
  return withAxe(page, (find) => find());
}
