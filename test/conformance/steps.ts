import {
  type CaseRequest,
  type CaseSteps,
  type DomainCase,
  type ExchangeStep,
  type Expectation,
  type Expected,
  type FlagRules,
  type HoldStep,
  type Json,
  type OperatorStep,
  type Outcome,
  outcomes,
  type Rollout,
  type RolloutStep,
  type Step,
  type TallyStep,
} from './conformance-case.ts';

/*
 * The functions that cases are written with. A client sends a request, and `is` or a method like it states the
 * response:
 *
 *   ci.patch('/api/v1/flags/${id}', { enabled: true }, { 'if-match': '${tag}' }).is(200, { changed: true })
 */

/* Matchers without an argument; those with one are written out, as `{ $gt: 5 }`. A text may also be a RegExp. */
export const anyText = { $string: true };
export const anyInteger = { $integer: true };
export const anyBoolean = { $boolean: true };
export const anyId = { $id: true };
export const absent = { $absent: true };
export const present = { $present: true };
export const anyTag = /^"[1-9][0-9]*-[0-9]+"$/u;
/** Seconds until the end of a window of one minute. */
export const secondsOfAMinute = /^([1-9]|[1-5][0-9]|60)$/u;

type Headers = Readonly<Record<string, string>>;
type Body = Json | Raw;
type Fields = { readonly [key: string]: Expected };

/** A request with the response that it must get. */
export class Exchange implements ExchangeStep {
  readonly request: CaseRequest;
  expect: Expectation = { status: anyInteger };
  capture?: Readonly<Record<string, string>>;
  repeat?: number;

  constructor(request: CaseRequest) {
    this.request = request;
  }

  /** The response has this status, and its body these members, maybe others. */
  is(status: Expected, bodyMatches?: Expected): this {
    this.expect = bodyMatches === undefined ? { status } : { status, bodyMatches };
    return this;
  }

  /** Its body has these members and no others. */
  exactly(status: Expected, body: Expected): this {
    this.expect = { status, body };
    return this;
  }

  text(status: Expected, bodyText: Expected): this {
    this.expect = { status, bodyText };
    return this;
  }

  /** An error with this title. Its detail contains each text, and matches each other value. */
  fails(status: number, error: Expected, ...details: readonly Expected[]): this {
    const parts = details.map((detail) => (typeof detail === 'string' ? { $contains: detail } : detail));
    const [detail] = parts.length > 1 ? [{ $all: parts }] : parts;
    return this.is(status, detail === undefined ? { error } : { error, detail });
  }

  invalid(...details: readonly Expected[]): this {
    return this.fails(400, 'Invalid request', ...details);
  }

  notFound(...details: readonly Expected[]): this {
    return this.fails(404, 'Not found', ...details);
  }

  /** The answer to an evaluation of the flag in the path. */
  gives(name: string, enabled: Expected): this {
    const id = this.request.path.slice('/v1/flags/'.length).split('?')[0] ?? '';
    return this.exactly(200, { id, name, enabled });
  }

  /** The answer to a patch: whether it changed something, and the new flag of `flat` apart from these fields. */
  patched(changed: boolean, fields?: Fields): this {
    return this.exactly(200, { changed, flag: flat(fields) });
  }

  /** The plain answer to an address over its request rate. */
  limited(): this {
    return this.text(429, { $contains: 'Too Many Requests' }).with({
      'retry-after': secondsOfAMinute,
      'content-type': /^text\/plain/u,
      'x-request-id': anyText,
    });
  }

  /** The answer to an address with too many failed authentications. */
  locked(): this {
    const detail = { $contains: 'minute' };
    const limited = this.exactly(429, { error: 'Too many failed attempts', detail, docs: anyText });
    return limited.with({ 'retry-after': secondsOfAMinute });
  }

  /** The answer to a preflight of the Management API. */
  preflight(): this {
    return this.is(204).with({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': { $list: ['GET', 'POST', 'PATCH', 'OPTIONS'] },
      'access-control-allow-headers': { $list: ['content-type', 'authorization'] },
      'access-control-allow-credentials': absent,
    });
  }

  /** The response has these headers; names in lower case. */
  with(headers: Readonly<Record<string, Expected>>): this {
    this.expect = { ...this.expect, headers };
    return this;
  }

  /** Later steps use parts of the response under these names; see `ExchangeStep.capture`. */
  keep(capture: Readonly<Record<string, string>>): this {
    this.capture = capture;
    return this;
  }

  times(count: number): this {
    this.repeat = count;
    return this;
  }
}

/** Sends requests with one credential from one address. */
class Client {
  readonly #token: string | undefined;
  readonly #address: string | undefined;

  constructor(token?: string, address?: string) {
    this.#token = token;
    this.#address = address;
  }

  /** The same token, from another address. */
  from(address: string): Client {
    return new Client(this.#token, address);
  }

  create(body: Body, headers?: Headers): Exchange {
    return this.post('/api/v1/flags', body, headers);
  }

  /** @param flag its id and the query string */
  change(flag: string, body: Body, headers?: Headers): Exchange {
    return this.patch(`/api/v1/flags/${flag}`, body, headers);
  }

  read(flag: string, headers?: Headers): Exchange {
    return this.get(`/api/v1/flags/${flag}`, headers);
  }

  list(query = '', headers?: Headers): Exchange {
    return this.get(`/api/v1/flags${query}`, headers);
  }

  token(headers?: Headers): Exchange {
    return this.get('/api/v1/token', headers);
  }

  get(path: string, headers?: Headers): Exchange {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body?: Body, headers?: Headers): Exchange {
    return this.send('POST', path, body, headers);
  }

  patch(path: string, body?: Body, headers?: Headers): Exchange {
    return this.send('PATCH', path, body, headers);
  }

  send(method: string, path: string, body?: Body, headers?: Headers): Exchange {
    return new Exchange({
      method,
      path,
      ...(this.#token === undefined ? {} : { token: this.#token }),
      ...(this.#address === undefined ? {} : { from: this.#address }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : body instanceof Raw ? body.fields : { body }),
    });
  }
}

/** A body that is not simply a JSON value. */
class Raw {
  readonly fields: Partial<CaseRequest>;

  constructor(fields: Partial<CaseRequest>) {
    this.fields = fields;
  }
}

export const text = (bodyText: string): Raw => new Raw({ bodyText });
export const base64 = (bodyBase64: string): Raw => new Raw({ bodyBase64 });
/** A JSON value, followed by spaces up to exactly this number of bytes. */
export const padded = (bytes: number, json: Json): Raw => new Raw({ bodyPadded: { bytes, json } });
export const repeated = (before: string, unit: string, times: number, after: string): Raw =>
  new Raw({ bodyRepeat: { before, unit, times, after } });
/** Without a Content-Length. */
export const chunked = ({ fields }: Raw): Raw => new Raw({ chunked: true, ...fields });

export const anyone = new Client();
/** @param token its project and name in the fixture */
export const as = (token: string): Client => new Client(token);
export const ci = as('shop/ci');
export const reader = as('shop/reader');
export const platformCi = as('platform/ci');
export const platformReader = as('platform/reader');
export const stagingCi = as('platform/staging-ci');
export const stagingReader = as('platform/staging-reader');
export const regionsReader = as('regions/reader');
export const catalogueReader = as('catalogue/reader');

export const evaluate = (flag: string, headers?: Headers): Exchange =>
  anyone.get(`/v1/flags/${flag}`, headers);

/** The flat representation of a new flag, apart from these fields. */
export function flat(fields: Fields = {}): Expected {
  const kind = 'environment' in fields ? 'groupflag' : 'flag';
  const state = { enabled: false, trafficPercentage: 0, cohorts: [], audienceId: null };
  return { id: '${flag}', name: '${case}', kind, updatedAt: anyInteger, ...state, ...fields };
}

/** A flag in the form of its environments. */
export const grouped = (id: Expected, name: Expected, environments: Fields): Expected => ({
  ...{ id, name, kind: 'groupflag', updatedAt: anyInteger, environments },
});

/** The initial state of one environment, apart from these fields. */
export const state = (fields: Fields = {}): Expected => ({
  ...{ enabled: false, trafficPercentage: 0, cohorts: [], audienceId: null, updatedAt: anyInteger },
  ...fields,
});

/** Creates a flag, named like the case, and keeps its id. */
export function make(name: string, fields: { readonly [key: string]: Json } = {}, client = ci): Exchange {
  return client
    .create({ name: '${case}', ...fields })
    .is(201)
    .keep({ [name]: 'body.id' });
}

/** Creates a flag and keeps its id and tag. */
export function makeTagged(name: string): Exchange {
  const created = ci.create({ name }).is(201).with({ etag: anyTag });
  return created.keep({ id: 'body.id', tag: 'headers.etag' });
}

/** One step for each body, in their order. */
export const each = (bodies: readonly Json[], step: (body: Json) => Step): Step[] => bodies.map(step);
export const eachText = (texts: readonly string[], step: (text: string) => Step): Step[] => texts.map(step);

export const numbered = (prefix: string, count: number, digits = 1): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(digits, '0')}`);

/** Fields that no body has, `k000` and so on. */
export const manyFields = (count: number): Json =>
  Object.fromEntries(numbered('k', count, 3).map((name, index) => [name, index]));
export const unknownFields = (count: number): string =>
  numbered('k', count, 3)
    .map((name) => `unknown field "${name}"`)
    .join('; ');

/** An operator's command on the data directory of the running server. */
export const burgee = (...operator: readonly string[]): OperatorStep => ({ operator });
/** A request whose body does not end. */
export const hold = ({ request }: Exchange, declaredBytes: number, sentBytes: number): HoldStep => ({
  hold: { request, declaredBytes, sentBytes },
});
/** The answer to a request that is sent this many times is both true and false. */
export const tally = (times: number, { request }: Exchange): TallyStep => ({ tally: { request, times } });
/** Evaluates many keys: each answer is that of the reference hash. */
export const rollout = (percentage: number, more: Partial<Rollout> = {}): RolloutStep => ({
  rollout: { flag: '${flag}', parameter: 'targetingKey', keys: 120, percentage, ...more },
});

/** Steps that run on another service than the usual one. */
export const on = (given: string, ...steps: readonly Step[]): CaseSteps => ({ given, steps });

/** What the rules decide for a request with this query string. */
export function decision(query: string, outcome: Outcome, flag: FlagRules): DomainCase {
  return { flag: { enabled: true, percentage: 0, ...flag }, query, ...outcomes[outcome] };
}

/** The decision by the domain, and the same over HTTP, for a flag of its own. */
export function rule(query: string, outcome: Outcome, flag: FlagRules): CaseSteps {
  const domain = decision(query, outcome, flag);
  const { enabled, percentage, cohorts, audience } = domain.flag;
  const fields = {
    enabled,
    trafficPercentage: percentage,
    ...(cohorts === undefined ? {} : { cohorts }),
    ...(audience === undefined ? {} : { audienceId: `\${audience:shop/${audience}}` }),
  };
  const call = evaluate(`\${flag}${query === '' ? '' : `?${query}`}`);
  return inDomain(domain, make('flag', fields), call.gives('${case}', domain.enabled ?? anyBoolean));
}

/** A decision by the domain, and steps that show the same over HTTP. */
export const inDomain = (domain: DomainCase, ...steps: readonly Step[]): CaseSteps => ({ domain, steps });

/** The query string that matches the first rules of the audience Fifty. */
export const ofFifty = (rules: number): string =>
  Array.from({ length: rules }, (_, index) => `a${index}=v${index}`).join('&');
