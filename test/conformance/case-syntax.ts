import { BriefJson } from './brief-json.ts';
import {
  type BodyRepeat,
  type CaseRequest,
  type ConformanceCase,
  type DomainCase,
  domainReasons,
  type ExchangeStep,
  type Expectation,
  type Json,
  type RolloutStep,
  type Step,
} from './conformance-case.ts';

/*
 * A case file is text. A case begins with its id and the source of its sentence. Then come the sentence, and one step
 * on each line. An indented line continues the one before it.
 *
 *   # audience-exchanged (service.md: PATCH /api/v1/flags/{id})
 *   > `audienceId` set to an id attaches the audience; `null` detaches it.
 *   given small-limits                      a name in givens.json; without this line it is shop-town
 *   make flag {enabled: true}               POST /api/v1/flags as shop/ci {name: "${case}", enabled: true} -> 201,
 *                                           and ${flag} is the new flag's id from here on
 *   make other as platform/ci {name: "b"}   by another token, under another name
 *   PATCH /api/v1/flags/${flag} as shop/ci {audienceId: null} -> 200 {changed: true}
 *
 * A request is a method and a path, and optionally `as` a token, `from` a label of an address, `with` headers,
 * `chunked`, and a body: JSON, `text` with a string, `base64` with a word, `repeat` with an object, or JSON `padded` to
 * a number of bytes. After the arrow come the status, `with` headers, and the expected body:
 *
 *   -> 200 {enabled: true}                  these members, maybe others
 *   -> 200 exactly {enabled: true}          these members and no others
 *   -> 200 text ~"<html"                    as text
 *   -> 404 "Not found"                      an error: {error: "Not found"}
 *   -> 400 "Invalid request": ~"tags" ~"9"  and its detail, which passes each of these
 *
 * `3 x` before a request sends it three times; `keep at = body.updatedAt, tag = headers.etag` after the answer captures
 * parts of it under names. The other steps:
 *
 *   burgee token revoke ${tokenId:shop/old}         an operator's command on the running server's data directory
 *   hold POST /api/v1/flags declaring 10 sending 9  a body that does not end
 *   rollout ${flag} 50 % by cohort 120 keys & a=b   many keys, compared with the reference hash; then more of the query
 *   tally 160 x GET /v1/flags/${flag}               `enabled` must have been both
 *   domain {trafficPercentage: 40} ?cohort=a -> off: bucket      the rule itself, in the pure domain
 */

const heading = /^# ([\w-]+) \((.+)\)$/;
const usualGiven = 'shop-town';
const usualToken = 'shop/ci';
const repeatKeys = ['before', 'unit', 'times', 'after'];
const domainKeys = ['enabled', 'trafficPercentage', 'cohorts', 'flagCohorts', 'audience'];
const domainFlagId = '01hzy3k9w8a2b4c6d8e0';

interface DraftCase {
  readonly id: string;
  readonly source: string;
  sentence: string;
  given: string;
  readonly steps: Step[];
  domain?: DomainCase;
}

type DomainState = Partial<DomainCase['state']> & {
  readonly flagCohorts?: readonly string[];
  /** The values by the attribute. */
  readonly audience?: Readonly<Record<string, readonly string[]>>;
};

/**
 * Reads the cases of a file.
 * @param file its name, for error messages
 * @throws on a malformed line
 */
export function parseCases(text: string, file: string): ConformanceCase[] {
  const cases: DraftCase[] = [];
  for (const { line, number } of logicalLines(text)) {
    try {
      readLine(line, cases);
    } catch (error) {
      throw new Error(`${file}:${number}: ${(error as Error).message}`, { cause: error });
    }
  }
  return cases;
}

/** A line with its continuation lines, and the number of the first. */
function logicalLines(text: string): { line: string; number: number }[] {
  const lines: { line: string; number: number }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const last = lines.at(-1);
    if (line.startsWith(' ') && last !== undefined) last.line += ` ${line.trim()}`;
    else if (line !== '') lines.push({ line, number: index + 1 });
  }
  return lines;
}

function readLine(line: string, cases: DraftCase[]): void {
  const [, id, source] = heading.exec(line) ?? [];
  if (id !== undefined && source !== undefined) {
    cases.push({ id, source, sentence: '', given: usualGiven, steps: [] });
    return;
  }
  const last = cases.at(-1);
  if (last === undefined) throw new Error('a file begins with a case: # id (document: heading)');
  const reader = new BriefJson(line);
  if (line.startsWith('> ')) last.sentence = line.slice('> '.length);
  else if (reader.take('given')) last.given = reader.word();
  else if (reader.take('domain')) last.domain = readDomain(reader);
  else last.steps.push(readStep(reader));
  if (!line.startsWith('> ') && !reader.isAtEnd()) throw new Error('unexpected text at the end of the line');
}

function readStep(reader: BriefJson): Step {
  if (reader.take('make')) return readMake(reader);
  if (reader.take('burgee')) return { operator: readWords(reader) };
  if (reader.take('rollout')) return readRollout(reader);
  if (reader.take('hold')) {
    const request = readRequest(reader);
    reader.expect('declaring');
    const declaredBytes = reader.integer();
    reader.expect('sending');
    return { hold: { request, declaredBytes, sentBytes: reader.integer() } };
  }
  if (reader.take('tally')) {
    const times = reader.integer();
    reader.expect('x');
    return { tally: { request: readRequest(reader), times } };
  }
  return readExchange(reader);
}

function readWords(reader: BriefJson): string[] {
  const words: string[] = [];
  while (!reader.isAtEnd()) words.push(reader.word());
  return words;
}

function readMake(reader: BriefJson): ExchangeStep {
  const name = reader.name();
  const token = reader.take('as') ? reader.word() : usualToken;
  const fields = reader.isAtEnd() ? {} : (reader.value() as object);
  const body = { name: '${case}', ...fields };
  const request = { method: 'POST', path: '/api/v1/flags', token, body };
  return { request, expect: { status: 201 }, capture: { [name]: 'body.id' } };
}

function readExchange(reader: BriefJson): ExchangeStep {
  const repeat = reader.isAtDigit() ? { repeat: reader.integer() } : {};
  if ('repeat' in repeat) reader.expect('x');
  const request = readRequest(reader);
  reader.expect('->');
  const expect = readExpectation(reader);
  const capture = reader.take('keep') ? { capture: readCapture(reader) } : {};
  return { request, expect, ...capture, ...repeat };
}

function readRequest(reader: BriefJson): CaseRequest {
  return {
    method: reader.name(),
    path: reader.word(),
    ...(reader.take('as') ? { token: reader.word() } : {}),
    ...(reader.take('from') ? { from: reader.word() } : {}),
    ...(reader.take('with') ? { headers: reader.value() as Record<string, string> } : {}),
    ...(reader.take('chunked') ? { chunked: true } : {}),
    ...readBody(reader),
  };
}

function readBody(reader: BriefJson): Partial<CaseRequest> {
  if (reader.take('text')) return { bodyText: reader.word() };
  if (reader.take('base64')) return { bodyBase64: reader.word() };
  if (reader.take('repeat')) return { bodyRepeat: readObject<BodyRepeat>(reader, repeatKeys) };
  if (reader.take('padded')) return { bodyPadded: { bytes: reader.integer(), json: reader.value() } };
  const hasNone = ['->', 'declaring'].some((word) => reader.isAt(word)) || reader.isAtEnd();
  return hasNone ? {} : { body: reader.value() };
}

function readExpectation(reader: BriefJson): Expectation {
  const status = reader.value();
  const headers = reader.take('with') ? { headers: reader.value() as Record<string, Json> } : {};
  return { status, ...headers, ...readAnswer(reader) };
}

function readAnswer(reader: BriefJson): Partial<Expectation> {
  if (reader.isAtEnd() || reader.isAt('keep')) return {};
  if (reader.take('exactly')) return { body: reader.value() };
  if (reader.take('text')) return { bodyText: reader.value() };
  if (!reader.isAt('"')) return { bodyMatches: reader.value() };
  const error = reader.word();
  return { bodyMatches: reader.take(':') ? { error, detail: readDetail(reader) } : { error } };
}

function readDetail(reader: BriefJson): Json {
  const parts = [reader.value()];
  while (!reader.isAtEnd() && !reader.isAt('keep')) parts.push(reader.value());
  const [first = null] = parts;
  return parts.length === 1 ? first : { $all: parts };
}

function readCapture(reader: BriefJson): Record<string, string> {
  const captures: Record<string, string> = {};
  do {
    const name = reader.name();
    reader.expect('=');
    captures[name] = reader.path();
  } while (reader.take(','));
  return captures;
}

function readRollout(reader: BriefJson): RolloutStep {
  const flag = reader.word();
  const percentage = reader.integer();
  reader.expect('%');
  reader.expect('by');
  const parameter = reader.name() as RolloutStep['rollout']['parameter'];
  const keys = reader.integer();
  reader.expect('keys');
  const query = reader.take('&') ? { query: reader.word() } : {};
  return { rollout: { flag, parameter, percentage, keys, ...query } };
}

function readDomain(reader: BriefJson): DomainCase {
  const state = readObject<DomainState>(reader, domainKeys);
  const { enabled = true, trafficPercentage = 0, cohorts = null, flagCohorts = [], audience } = state;
  const rules = audience && Object.entries(audience).map(([attribute, values]) => ({ attribute, values }));
  reader.expect('?');
  const query = reader.isAt('->') ? '' : reader.word();
  reader.expect('->');
  return {
    flagId: domainFlagId,
    state: { enabled, trafficPercentage, cohorts },
    flagCohorts,
    audience: rules ?? null,
    query,
    expected: readDecision(reader),
  };
}

function readObject<Type>(reader: BriefJson, keys: readonly string[]): Type {
  const value = reader.value();
  const unknown = Object.keys(value ?? {}).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${keys.join(', ')}`);
  return value as Type;
}

function readDecision(reader: BriefJson): DomainCase['expected'] {
  const enabled = reader.take('on') ? true : reader.take('off') ? false : null;
  if (enabled === null) reader.expect('either');
  reader.expect(':');
  const reason = domainReasons.find((name) => reader.take(name));
  if (reason === undefined) throw new Error(`the reason is none of ${domainReasons.join(', ')}`);
  return { enabled, reason };
}
