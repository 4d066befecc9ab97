import type { ConsoleSettings } from '../../contracts/console/public-handler.ts';
import type { Reads } from '../../evaluator/reads/reads.ts';
import type { WriterPort } from '../../writer/writer-client.ts';
import type { LongAnswers } from '../long-answers.ts';
import type { OpenIdCookie } from './open-id/open-id-cookie.ts';
import type { OpenIdPort } from './open-id/open-id-protocol.ts';
import type { PageWatchers } from './page-watchers.ts';
import type { PasswordPort } from './password-port.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

/** What the answers of the console's API are made with. */
export interface ConsoleActors {
  readonly reads: Reads;
  readonly longAnswers: LongAnswers;
  readonly writer: WriterPort;
  readonly settings: ConsoleSettings;
  readonly cookie: SessionCookie;
  readonly watchers: PageWatchers;
  readonly passwords: PasswordPort;
  readonly attempts: SignInAttempts;
  readonly openIdCookie: OpenIdCookie;
  /** Null: no provider is configured. */
  readonly openId: OpenIdPort | null;
  /** Marks a session as seen, in the background: no answer waits for it. */
  touch(sessionId: string | null): void;
  onFault(fault: unknown, requestId: string): void;
}
