import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** One line for each place that breaks a rule. */
const run = `axe
  .run(document, { resultTypes: ['violations'], preload: false })
  .then(({ violations, passes }) => ({
    passed: passes.length,
    lines: violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + help + ' at ' + target.join(' ') + '\\n' + failureSummary)),
  }))`;

interface Violations {
  /** Rules that something on the page met: none would mean that nothing was looked at. */
  readonly passed: number;
  readonly lines: readonly string[];
}

/**
 * Runs axe on the page as it stands. It runs in a world of its own, so that the content security policy stays as it is and
 * the page does not notice.
 */
export async function findViolations(page: Page): Promise<Violations> {
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
    await evaluate(`${axe.source}\nundefined`);
    return (await evaluate(run)) as Violations;
  } finally {
    await session.detach();
  }
}
