import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';

/** The provider did not vouch for a person. The message is for the log: it has no token, code or secret. */
export class OpenIdFault extends Error {
  readonly refusal: OpenIdRefusal;

  constructor(refusal: OpenIdRefusal, message: string) {
    super(message);
    this.name = 'OpenIdFault';
    this.refusal = refusal;
  }
}

const messageCharsMax = 500;

/**
 * @param thrown by `openid-client` or by what it has called. It is not kept: the causes of its errors contain whole
 * answers of the provider, with tokens.
 */
export function openIdFaultOf(thrown: unknown): OpenIdFault {
  if (thrown instanceof OpenIdFault) return thrown;
  const [code, error] = [textOf(thrown, 'code'), textOf(thrown, 'error')];
  const texts = [...messagesOf(thrown), issuersIn(thrown), code, error, textOf(thrown, 'error_description')];
  const told = texts.filter((text) => text !== '');
  const message = [...new Set(told)].join(': ').slice(0, messageCharsMax);
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && error === 'access_denied') {
    return new OpenIdFault('denied', message);
  }
  return new OpenIdFault(isAnswered(thrown) ? 'provider-failed' : 'provider-unreachable', message);
}

/** @returns a text property of the error; empty when there is none. */
function textOf(thrown: unknown, name: 'code' | 'error' | 'error_description'): string {
  if (typeof thrown !== 'object' || thrown === null) return '';
  const value: unknown = Reflect.get(thrown, name);
  return typeof value === 'string' ? value : '';
}

/** The messages of an error and of its causes. */
function messagesOf(thrown: unknown): readonly string[] {
  const messages: string[] = [];
  let each = thrown;
  for (let depth = 0; depth < 4 && each instanceof Error; depth += 1) {
    messages.push(each.message);
    each = each.cause;
  }
  return messages;
}

/** @returns both issuers if they differ: often by a slash at the end only. They are addresses, and no secrets. */
function issuersIn(thrown: unknown): string {
  let each = thrown;
  while (each instanceof Error) each = each.cause;
  const { expected, body, claims } = (each ?? {}) as {
    readonly expected?: unknown;
    readonly body?: { readonly issuer?: unknown };
    readonly claims?: { readonly iss?: unknown };
  };
  const received = body?.issuer ?? claims?.iss;
  if (typeof expected !== 'string' || typeof received !== 'string') return '';
  return `expected the issuer ${JSON.stringify(expected)}, the provider's is ${JSON.stringify(received)}`;
}

/** When an answer of the provider is refused, `openid-client` sets a code. A fault without a code occurred before an answer. */
function isAnswered(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = textOf(thrown, 'code');
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') {
    return !(thrown.cause instanceof Response) || thrown.cause.status < 500;
  }
  return code.startsWith('OAUTH_') && code !== 'OAUTH_TIMEOUT' && code !== 'OAUTH_ABORT';
}
