/*
 * A script of its own, of some hundred bytes: it asks for what the page at this address shows while the browser still
 * loads and compiles the console. It is a classic script, because the browser runs it as soon as it is there, and
 * imports nothing, because what it shared with the console would be loaded first.
 */
import type { FirstAnswers } from './client/first-answers.ts';

(() => {
  const answers: FirstAnswers['answers'] = new Map();

  const begin = (path: string): Promise<Response> => {
    const address = `/console/api${path}`;
    const answer = fetch(address, { headers: { 'X-Burgee-Console': '1' }, credentials: 'same-origin' });
    answers.set(address, answer);
    // Whoever takes the answer is told why there is none.
    answer.catch(() => null);
    return answer;
  };

  /**
   * The session is read first: changes are reported from the position in its answer on, and what was read before that
   * position could lack a change that nobody reports.
   */
  const beginPage = async (): Promise<void> => {
    const session = await begin('/session');
    const { isSignedIn } = (await session.clone().json()) as { readonly isSignedIn?: unknown };
    // The console may have gone on without these answers: it then asks for them itself.
    if (isSignedIn !== true || !('burgeeFirstAnswers' in globalThis)) return;
    void begin('/projects');
    const [, projectId] = /^\/console\/projects\/(\w+)\/flags\/?$/.exec(location.pathname) ?? [];
    if (projectId !== undefined) void begin(`/projects/${projectId}/flags?limit=100`);
  };

  if (/^\/console\/(sign-in|sign-out|link)\b/.test(location.pathname)) return;
  // The console takes the session's answer, and says what is wrong with it.
  const asked = beginPage().catch(() => undefined);
  Object.assign(globalThis, { burgeeFirstAnswers: { answers, asked } satisfies FirstAnswers });
})();
