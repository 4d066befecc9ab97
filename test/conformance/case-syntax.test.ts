import t from 'tap';
import { parseCases } from './case-syntax.ts';
import type { ConformanceCase } from './conformance-case.ts';

/* Tests what the short form of the case files means. */
const heading = '# one (service.md: Audience)\n> A sentence.\n';

function parseLines(...lines: string[]): ConformanceCase {
  const [first] = parseCases(heading + lines.join('\n'), 'test');
  if (first === undefined) throw new Error('there is a case');
  return first;
}

t.test('a case has an id, a source, a sentence and a given', async (t) => {
  const [one, other] = parseCases(`${heading}\n${heading}given small-limits\n`, 'test');
  t.same(one, {
    id: 'one',
    source: 'service.md: Audience',
    sentence: 'A sentence.',
    given: 'shop-town',
    steps: [],
  });
  t.equal(other?.given, 'small-limits');
});

const steps = {
  'make flag {enabled: true}': {
    request: {
      method: 'POST',
      path: '/api/v1/flags',
      token: 'shop/ci',
      body: { name: '${case}', enabled: true },
    },
    expect: { status: 201 },
    capture: { flag: 'body.id' },
  },
  'make other as platform/ci {name: "b"}': {
    request: { method: 'POST', path: '/api/v1/flags', token: 'platform/ci', body: { name: 'b' } },
    expect: { status: 201 },
    capture: { other: 'body.id' },
  },
  'GET /v1/flags/${flag}?a=#{3*k} -> 200 exactly {id: ${flag}, "a b": null}': {
    request: { method: 'GET', path: '/v1/flags/${flag}?a=kkk' },
    expect: { status: 200, body: { id: '${flag}', 'a b': null } },
  },
  '3 x PATCH /a as t from here with {if-match: "x"} chunked [1, -2.5e3]\n    -> {$oneOf: [400, 404]} with {etag: $absent}':
    {
      request: {
        method: 'PATCH',
        path: '/a',
        token: 't',
        from: 'here',
        headers: { 'if-match': 'x' },
        chunked: true,
        body: [1, -2500],
      },
      expect: { status: { $oneOf: [400, 404] }, headers: { etag: { $absent: true } } },
      repeat: 3,
    },
  'PUT "/a b" text "{" -> 400 text ~"<html"': {
    request: { method: 'PUT', path: '/a b', bodyText: '{' },
    expect: { status: 400, bodyText: { $contains: '<html' } },
  },
  'POST /a base64 gA== -> 404 "Not found"': {
    request: { method: 'POST', path: '/a', bodyBase64: 'gA==' },
    expect: { status: 404, bodyMatches: { error: 'Not found' } },
  },
  'POST /a padded 9 {} -> 400 "Wrong": ~"tags" /^[0-9]$/ keep at = body.0.updatedAt, tag = headers.x-tag': {
    request: { method: 'POST', path: '/a', bodyPadded: { bytes: 9, json: {} } },
    expect: {
      status: 400,
      bodyMatches: { error: 'Wrong', detail: { $all: [{ $contains: 'tags' }, { $regex: '^[0-9]$' }] } },
    },
    capture: { at: 'body.0.updatedAt', tag: 'headers.x-tag' },
  },
  'POST /a repeat {before: "[", unit: "1", times: 2, after: "]"} -> 400 "Wrong": "one"': {
    request: { method: 'POST', path: '/a', bodyRepeat: { before: '[', unit: '1', times: 2, after: ']' } },
    expect: { status: 400, bodyMatches: { error: 'Wrong', detail: 'one' } },
  },
  'burgee organisation set-plan "Two words" --plan free': {
    operator: ['organisation', 'set-plan', 'Two words', '--plan', 'free'],
  },
  'hold POST /a as t declaring 10 sending 9': {
    hold: { request: { method: 'POST', path: '/a', token: 't' }, declaredBytes: 10, sentBytes: 9 },
  },
  'rollout ${flag} 50 % by cohort 120 keys & a=b': {
    rollout: { flag: '${flag}', parameter: 'cohort', percentage: 50, keys: 120, query: 'a=b' },
  },
  'tally 160 x GET /v1/flags/${flag}': {
    tally: { request: { method: 'GET', path: '/v1/flags/${flag}' }, times: 160 },
  },
};

t.test('a step is a line with the indented lines after it', async (t) => {
  t.same(
    Object.keys(steps).map((line) => parseLines(line).steps),
    Object.values(steps).map((step) => [step]),
  );
});

t.test('an object may have a key `__proto__`', async (t) => {
  const [step] = parseLines('POST /a {__proto__: 1} -> 200').steps;
  t.equal(
    JSON.stringify(step),
    '{"request":{"method":"POST","path":"/a","body":{"__proto__":1}},"expect":{"status":200}}',
  );
});

t.test('a domain step has defaults for what it leaves out', async (t) => {
  const one = parseLines(
    'domain {trafficPercentage: 40, audience: {plan: ["pro"]}} ?plan=pro -> either: random roll',
    'domain {enabled: false, flagCohorts: ["a"], cohorts: []} ? -> off: flag off',
  );
  t.match(one.domain, {
    state: { enabled: false, trafficPercentage: 0, cohorts: [] },
    query: '',
    audience: null,
  });
  t.same(parseLines('domain {audience: {plan: ["pro"]}} ?plan=pro -> either: random roll').domain, {
    flagId: '01hzy3k9w8a2b4c6d8e0',
    state: { enabled: true, trafficPercentage: 0, cohorts: null },
    flagCohorts: [],
    audience: [{ attribute: 'plan', values: ['pro'] }],
    query: 'plan=pro',
    expected: { enabled: null, reason: 'random roll' },
  });
});

t.test('a malformed line is refused with its place', async (t) => {
  const wrong = [
    'GET /a',
    'GET /a -> ',
    'GET /a -> 200 {enabled true}',
    'GET /a -> 200 {enabled: yes}',
    'GET /a -> 200 exactly {} more',
    'GET /a -> 200 kept = body.id',
    'POST /a {a: 1 -> 200',
    'POST /a repeat {unit: "a", time: 3} -> 200',
    'make {}',
    'rollout ${flag} 50 by cohort 3 keys',
    'domain {trafficPercentag: 1} ? -> on: everyone',
    'domain {} ? -> on: because',
    '#one (service.md: Audience)',
  ];
  const accepted = wrong.filter((line) => {
    try {
      parseLines(line);
      return true;
    } catch (error) {
      return !(error as Error).message.startsWith('test:3: ');
    }
  });
  t.same(accepted, []);
  t.throws(() => parseCases('> A sentence without a case.', 'test'), { message: /^test:1: / });
});
