import type { Topic } from '../conformance-case.ts';
import { as, ci, evaluate, grouped, make, platformCi, platformReader, reader, state } from '../steps.ts';

export const patchGroup: Topic = {
  'service.md: PATCH /api/v1/flags/{id}': {
    'required for a group flag (applies the patch to that environment); on a single-environment project it is not accepted':
      {
        'patch-group-without-env': [
          platformCi.change('${flag:platform/plain}', { enabled: true }).invalid('env'),
          as('fresh/ci').change('${flag:fresh/seed}', { enabled: true }).invalid('env'),
        ],
        'patch-single-with-env': [
          make('flag'),
          ci.change('${flag}?env=production', { enabled: true }).invalid('env'),
          ci.change('${flag}?env=', { enabled: true }).invalid('env'),
          reader.read('${flag}').is(200, { enabled: false }),
        ],
      },
    'applies the patch to that environment': {
      'patch-group-touches-one-environment': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=staging', {
            enabled: true,
            trafficPercentage: 10,
            cohorts: ['s'],
            audienceId: '${audience:platform/Staff}',
          })
          .patched(true, {
            enabled: true,
            trafficPercentage: 10,
            cohorts: ['s'],
            audienceId: '${audience:platform/Staff}',
            environment: 'staging',
          }),
        platformReader.read('${flag}').exactly(
          200,
          grouped('${flag}', '${case}', {
            production: state(),
            staging: state({
              enabled: true,
              trafficPercentage: 10,
              cohorts: ['s'],
              audienceId: '${audience:platform/Staff}',
            }),
            constructor: state(),
            ['__proto__']: state(),
          }),
        ),
      ],
    },
    'If the patch leaves the flag exactly as it is, the result is 200 with `changed: false`.': {
      'patch-group-changed-is-per-environment': [
        make('flag', {}, platformCi),
        platformCi.change('${flag}?env=staging', { enabled: true }).is(200, { changed: true }),
        platformCi
          .change('${flag}?env=staging', { enabled: true })
          .is(200, { changed: false, flag: { enabled: true, environment: 'staging' } }),
        platformCi.change('${flag}?env=production', { enabled: true }).is(200, { changed: true }),
      ],
    },
    'An `audienceId` that does not exist on the project is a 400 with detail `Audience "<audience_id>" does not exist on this project.`':
      {
        'patch-group-refuses-unknown-audience': platformCi
          .change('${flag:platform/plain}?env=staging', { audienceId: '${audience:shop/Pro}' })
          .invalid({ $exactly: 'Audience "${audience:shop/Pro}" does not exist on this project.' }),
      },
  },
  'service.md: Errors': {
    'project-type mismatch (missing or unneeded `env`, unknown environment, flat state versus environments)':
      {
        'patch-group-unknown-env': [
          platformCi
            .change('${flag:platform/plain}?env=mars', { enabled: true })
            .invalid('mars', 'production', 'staging'),
          platformCi.change('${flag:platform/plain}?env=', { enabled: true }).invalid('production'),
          platformCi.change('${flag:platform/plain}?env=PRODUCTION', { enabled: true }).is(400),
          platformCi.change('${flag:platform/plain}?env=prototype', { enabled: true }).is(400),
        ],
      },
  },
  'decisions.md: Management API: the rest': {
    '`__proto__`, `constructor` and `prototype` are unknown keys like any other.': {
      'patch-group-called-proto': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=__proto__', { enabled: true, trafficPercentage: 100 })
          .patched(true, { enabled: true, trafficPercentage: 100, environment: '__proto__' }),
        platformCi
          .change('${flag}?env=constructor', { trafficPercentage: 3 })
          .is(200, { changed: true, flag: { environment: 'constructor', trafficPercentage: 3 } }),
        platformReader.read('${flag}').exactly(
          200,
          grouped('${flag}', '${case}', {
            production: state(),
            staging: state(),
            constructor: state({ trafficPercentage: 3 }),
            ['__proto__']: state({ enabled: true, trafficPercentage: 100 }),
          }),
        ),
        evaluate('${flag}?env=__proto__').is(200, { enabled: true }),
        evaluate('${flag}?env=production').is(200, { enabled: false }),
      ],
    },
  },
  'service.md: What the service does': {
    'state per environment': {
      'patch-group-evaluates': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=production', { enabled: true, trafficPercentage: 100 })
          .is(200, { changed: true }),
        evaluate('${flag}?env=production').is(200, { enabled: true }),
        evaluate('${flag}?env=staging').is(200, { enabled: false }),
      ],
    },
  },
};
