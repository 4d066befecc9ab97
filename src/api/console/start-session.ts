import type { BegunSession } from '../../contracts/console/step-bodies.ts';
import type { SignInAnswer } from '../../contracts/console/views/session-views.ts';
import { sessionLifetimeMs } from '../../domain/session/session.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';

/** @returns the cookie of a session that has just begun. */
export function cookieOf({ secret }: BegunSession, actors: ConsoleActors): string {
  return actors.cookie.set(secret, sessionLifetimeMs / 1000);
}

/** Answers that the session has begun. Its secret goes into the cookie, and nowhere else. */
export function answerBegun(reply: ConsoleReply, begun: BegunSession, actors: ConsoleActors): void {
  const answer: SignInAnswer = { choices: [] };
  reply.answerJson(answer, { setCookies: [cookieOf(begun, actors)] }, begun.memberId);
}
