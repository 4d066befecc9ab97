import type { ConsoleOperationId } from '../../contracts/console/console-paths.ts';
import type { RequestView } from '../../http/request-view.ts';
import { matchConsoleOperation } from './match-console-operation.ts';
import type { SessionCookie } from './session-cookie.ts';

/** What is kept of a request of the console after its handler has returned. */
export interface ConsoleApiRequest {
  readonly requestId: string;
  /** In lower case. */
  readonly method: string;
  /** Null when there is none of this method and path. */
  readonly operation: ConsoleOperationId | null;
  readonly params: Readonly<Record<string, string>>;
  /** As received. */
  readonly rawQuery: string;
  /** Never logged. */
  readonly sessionSecret: string | null;
  /** The Cookie headers, for what has a cookie of its own. Never logged. */
  readonly cookies: readonly string[];
  readonly address: string;
  /** What the per-address limits count by. */
  readonly limitKey: string;
  readonly userAgent: string;
  /** A reading that the page makes by itself: nobody is there who uses the session. */
  readonly isBackground: boolean;
  /** From Content-Length; null when there is none. */
  readonly declaredBytes: number | null;
}

/** The web app sends it, with `1`. It can only make a session end sooner. */
const backgroundHeader = 'x-burgee-background';

/** So much of a browser's name is kept with a session. */
const userAgentCharsMax = 256;

export function copyConsoleRequest(
  view: RequestView,
  requestId: string,
  from: { readonly text: string; readonly limitKey: string },
  cookie: SessionCookie,
): ConsoleApiRequest {
  const method = view.method();
  const declared = view.header('content-length');
  const matched = matchConsoleOperation(method, view.path());
  const cookies = view.headerValues('cookie');
  return {
    requestId,
    method,
    operation: matched?.id ?? null,
    params: matched?.params ?? {},
    rawQuery: view.query(),
    sessionSecret: cookie.read(cookies),
    cookies,
    address: from.text,
    limitKey: from.limitKey,
    userAgent: printable(view.header('user-agent')),
    // Whoever changes something is there, whatever the header says.
    isBackground: method === 'get' && view.header(backgroundHeader) === '1',
    declaredBytes: declared === '' ? null : Number(declared),
  };
}

/** A header's bytes come as latin1: what is not ASCII is shown as a question mark. */
function printable(text: string): string {
  return text.slice(0, userAgentCharsMax).replace(/[^\x20-\x7e]/g, '?');
}
