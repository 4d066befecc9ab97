import type { Topic } from '../conformance-case.ts';
import { base64, ci, eachText, evaluate, make, platformReader, reader, repeated, text } from '../steps.ts';

export const badInput: Topic = {
  'decisions.md: Management API: the rest': {
    'A body that is not JSON, or not an object: 400 that says so and where parsing failed.': {
      'not-json-cut': [
        ci.create(text('{"name":"x"')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x"')).invalid('JSON'),
      ],
      'not-json-word': [
        ci.create(text('hello')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('hello')).invalid('JSON'),
      ],
      'not-json-single-quotes': [
        ci.create(text("{'name':'x'}")).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text("{'name':'x'}")).invalid('JSON'),
      ],
      'not-json-trailing-comma': [
        ci.create(text('{"name":"x",}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x",}')).invalid('JSON'),
      ],
      'not-json-two-values': [
        ci.create(text('{"name":"x"}{}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x"}{}')).invalid('JSON'),
      ],
      'not-json-comment': [
        ci.create(text('{"name":"x"} // y')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x"} // y')).invalid('JSON'),
      ],
      'not-json-nan': [
        ci.create(text('{"name":"x","trafficPercentage":NaN}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x","trafficPercentage":NaN}')).invalid('JSON'),
      ],
      'not-json-hex': [
        ci.create(text('{"name":"x","trafficPercentage":0x10}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x","trafficPercentage":0x10}')).invalid('JSON'),
      ],
      'not-json-leading-zero': [
        ci.create(text('{"name":"x","trafficPercentage":010}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x","trafficPercentage":010}')).invalid('JSON'),
      ],
      'not-json-raw-newline-in-a-string': [
        ci.create(text('{"name":"a\nb"}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"a\nb"}')).invalid('JSON'),
      ],
      'not-json-bad-escape': [
        ci.create(text('{"name":"\\q"}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"\\q"}')).invalid('JSON'),
      ],
      'not-json-unclosed-string': [
        ci.create(text('{"name":"x}')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x}')).invalid('JSON'),
      ],
      'not-json-whitespace-outside-ascii': [
        ci.create(text('{"name":"x"} ')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('{"name":"x"} ')).invalid('JSON'),
      ],
      'not-json-form': [
        ci.create(text('name=x&enabled=true')).invalid('JSON', /[0-9]/u),
        ci.change('${flag:shop/on}', text('name=x&enabled=true')).invalid('JSON'),
      ],
      'not-an-object': [
        ...eachText(['null', '[]', '[{"name":"x"}]', '"name"', '5', 'true'], (json) =>
          ci.create(text(json)).invalid('object'),
        ),
        ...eachText(['null', '[]', '"enabled"', '0', 'false'], (json) =>
          ci.change('${flag:shop/on}', text(json)).invalid('object'),
        ),
      ],
      'json-whitespace': ci.create(text('\r\n\t {"name" :\n"x" } \n')).is(201),
      'invalid-utf8-body': [
        ci.create(base64('eyJuYW1lIjoi/yJ9')).invalid(),
        ci.change('${flag:shop/on}', base64('eyJuYW1lIjoi7aCAIn0=')).invalid(),
      ],
      'byte-order-mark': ci.create(base64('77u/eyJuYW1lIjoieCJ9')).is({ $oneOf: [400, 201] }),
      'lone-surrogates': [
        ci.create(text('{"name":"a\\ud800b"}')).invalid('name'),
        ci.create(text('{"name":"x","cohorts":["\\udc00"]}')).invalid('cohorts'),
        ci.create(text('{"name":"\\ud83d\\ude00"}')).is(201, { name: '😀' }),
      ],
    },
    'JSON nested deeper than 32 levels is a 400.': {
      'nested-32-levels': [
        make('flag'),
        ci
          .change('${flag}', text(`{"x":${'['.repeat(31)}${']'.repeat(31)}}`))
          .invalid({ $exactly: 'unknown field "x"' }),
      ],
      'nested-33-levels': [
        make('flag'),
        ci
          .change('${flag}', text(`{"x":${'['.repeat(32)}${']'.repeat(32)}}`))
          .invalid('32', { $not: { $contains: 'unknown field' } }),
        ci.change('${flag}', text(`${'{"x":'.repeat(33)}1${'}'.repeat(33)}`)).invalid('32'),
      ],
      'nested-100000-levels': [
        ci.create(repeated('', '[', 100000, '')).invalid(),
        ci.create(repeated('', '{"a":', 100000, '')).invalid(),
        ci.create(repeated('{"name":"x","cohorts":', '[', 100000, '}')).invalid(),
      ],
      'brackets-in-strings-are-no-nesting': [
        ci.create({ name: '['.repeat(100) }).is(201, { name: '['.repeat(100) }),
        ci.create({ name: `"\\"${'{['.repeat(40)}` }).is(201, { name: `"\\"${'{['.repeat(40)}` }),
      ],
    },
    'Content-Type is not enforced.': {
      'content-type-not-enforced': [
        ci.create({ name: 'x' }, { 'content-type': 'text/plain' }).is(201),
        ci.create({ name: 'x' }).is(201),
        ci.create({ name: 'x' }, { 'content-type': 'application/x-www-form-urlencoded' }).is(201),
        ci.create({ name: 'x' }, { 'content-type': 'application/json; charset=utf-8' }).is(201),
      ],
    },
    "Decoding is the Evaluation API's": {
      'nul-in-queries': [
        reader.list('?name=a%00b').is({ $oneOf: [200, 400] }),
        platformReader.list('?env=production%00').is(400),
        evaluate('${flag:regions/beta}?env=eu%00').is(404),
      ],
    },
  },
  'service.md: POST /api/v1/flags': {
    'an empty body gives a 400': {
      'only-whitespace': [
        ci.create(text('  \n\t ')).invalid(),
        ci.change('${flag:shop/on}', text(' ')).invalid(),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    'the first 50, then `; and N more`': {
      'many-problems': [
        ci.create(repeated('{"name":"x"', ',"k":1', 100000, '}')).invalid(),
        make('flag'),
        ci
          .change('${flag}', repeated('{"cohorts":[""', ',""', 100000, ']}'))
          .invalid('cohorts', '; and ', ' more'),
      ],
    },
  },
  'service.md: Errors': {
    'body or query fails validation (all problems listed); empty or unknown-key or null-key patch; project-type mismatch (missing or unneeded `env`, unknown environment, flat state versus environments); nonexistent audience':
      {
        'invalid-request-title': [
          ci.create({}).invalid(),
          ci.change('${flag:shop/on}', {}).invalid(),
          ci.read('${flag:shop/on}?env=x').invalid(),
        ],
      },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    '`cohorts` (array of string)': {
      'nul-in-cohorts': [
        make('flag', { enabled: true }),
        ci.change('${flag}', text('{"cohorts":["a\\u0000b"]}')).is({ $oneOf: [200, 400] }),
        evaluate('${flag}?cohort=a%00c').is(200, { enabled: false }),
        evaluate('${flag}?cohort=a').is(200, { enabled: false }),
      ],
    },
  },
};
