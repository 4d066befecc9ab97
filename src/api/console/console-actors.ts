import type { ConsoleSettings } from '../../contracts/console/public-handler.ts';
import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { WriterClient } from '../../writer/writer-client.ts';
import type { OpenIdDesk } from './open-id/open-id-desk.ts';
import type { PageWatchers } from './page-watchers.ts';
import type { PasswordDesk } from './password-desk.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

/** What the answers of the console's API are made with. */
export interface ConsoleActors {
  readonly evaluators: EvaluatorClient;
  readonly writer: WriterClient;
  readonly settings: ConsoleSettings;
  readonly cookie: SessionCookie;
  readonly watchers: PageWatchers;
  readonly passwords: PasswordDesk;
  readonly attempts: SignInAttempts;
  /** Null: no provider is configured. */
  readonly openId: OpenIdDesk | null;
  /** Marks a session as seen, in the background: no answer waits for it. */
  touch(sessionId: string | null): void;
  onFault(fault: unknown, requestId: string): void;
}
