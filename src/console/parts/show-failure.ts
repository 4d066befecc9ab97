import { toConsoleError } from '../client/console-error.ts';
import { showNotice } from './notices.ts';

/** For mutations whose place on the page has no room for an error. */
export function showFailure(thrown: unknown): void {
  const { title, message, requestId } = toConsoleError(thrown);
  showNotice({ tone: 'failed', message: `${title}: ${message}`, requestId });
}
