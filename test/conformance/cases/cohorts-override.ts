import type { Topic } from '../conformance-case.ts';
import { each, evaluate, make, platformCi, platformReader } from '../steps.ts';

export const cohortsOverride: Topic = {
  'service.md: States and transitions': {
    '| group flag environment without override | PATCH `cohorts` equal to the inherited list | write token | unchanged, no override created | `changed: false` |':
      {
        'inherited-list-sent-back': [
          ...each([{ cohorts: ['flag-wide', 'also-wide'] }, { cohorts: [] }], (body) =>
            platformCi
              .change('${flag:platform/checkout}?env=constructor', body)
              .is(200, { changed: false, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
          ),
        ],
      },
    '| group flag environment with own cohort override | PATCH `cohorts: []` with `?env=` | write token | override removed, environment inherits the flag-wide list | response shows the inherited list |':
      {
        'override-set-and-removed': [
          platformCi
            .change('${flag:platform/checkout}?env=production', { cohorts: ['mine'] })
            .is(200, { changed: true, flag: { cohorts: ['mine'] } }),
          platformReader.read('${flag:platform/checkout}').is(200, {
            environments: {
              production: { cohorts: ['mine'] },
              constructor: { cohorts: ['flag-wide', 'also-wide'] },
            },
          }),
          platformCi
            .change('${flag:platform/checkout}?env=production', { cohorts: [] })
            .is(200, { changed: true, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
          platformCi
            .change('${flag:platform/checkout}?env=production', { cohorts: [] })
            .is(200, { changed: false, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
        ],
      },
  },
  'decisions.md: Management API: the rest': {
    '`changed` compares stored state: removing an override that equals the flag-wide list is a change; setting one that equals it where none is stored is not.':
      {
        'override-equal-to-the-wide-list': [
          platformCi
            .change('${flag:platform/checkout}?env=constructor', { cohorts: ['mine'] })
            .is(200, { changed: true }),
          platformCi
            .change('${flag:platform/checkout}?env=constructor', { cohorts: ['flag-wide', 'also-wide'] })
            .is(200, { changed: true, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
          platformCi
            .change('${flag:platform/checkout}?env=constructor', { cohorts: ['flag-wide', 'also-wide'] })
            .is(200, { changed: false }),
          platformCi
            .change('${flag:platform/checkout}?env=constructor', { cohorts: [] })
            .is(200, { changed: true, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
          platformCi
            .change('${flag:platform/checkout}?env=constructor', { cohorts: [] })
            .is(200, { changed: false }),
        ],
      },
    'A flag-wide cohort list on a group flag is set in the console; an environment without an override shows it.':
      {
        'wide-list-of-a-project-without-environments': platformReader
          .read('${flag:platform/checkout}?env=production')
          .is(200, { cohorts: ['flag-wide', 'also-wide'] }),
      },
  },
  'decisions.md: Names and ids': {
    '`cohorts` is kept in the order sent; equality is element by element.': {
      'override-equal-to-the-wide-list-reordered': [
        platformCi
          .change('${flag:platform/checkout}?env=constructor', { cohorts: ['also-wide', 'flag-wide'] })
          .is(200, { changed: true, flag: { cohorts: ['also-wide', 'flag-wide'] } }),
        platformCi
          .change('${flag:platform/checkout}?env=constructor', { cohorts: [] })
          .is(200, { changed: true, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
      ],
    },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    'While a flag-wide list is non-empty, an environment cannot be made to have no cohorts; an empty list always means inherit.':
      {
        'no-empty-list-under-a-wide-one': [
          platformCi
            .change('${flag:platform/checkout}?env=__proto__', { cohorts: [] })
            .is(200, { changed: false, flag: { cohorts: ['flag-wide', 'also-wide'] } }),
          evaluate('${flag:platform/checkout}?env=__proto__&cohort=flag-wide').is(200, { enabled: true }),
        ],
      },
    "On a group flag `audienceId` is per environment and `cohorts` sets that environment's own override": {
      'override-without-a-wide-list': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=staging', { cohorts: ['a'] })
          .is(200, { changed: true, flag: { cohorts: ['a'] } }),
        platformReader.read('${flag}?env=production').is(200, { cohorts: [] }),
        platformCi
          .change('${flag}?env=staging', { cohorts: [] })
          .is(200, { changed: true, flag: { cohorts: [] } }),
        platformCi
          .change('${flag}?env=staging', { cohorts: [] })
          .is(200, { changed: false, flag: { cohorts: [] } }),
      ],
    },
    '`cohorts: []` removes the override and the environment inherits the flag-wide list': {
      'override-and-evaluation': [
        platformCi
          .change('${flag:platform/checkout}?env=__proto__', { cohorts: ['mine'] })
          .is(200, { changed: true }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=mine').is(200, { enabled: true }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=flag-wide').is(200, { enabled: false }),
        platformCi
          .change('${flag:platform/checkout}?env=__proto__', { cohorts: [] })
          .is(200, { changed: true }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=mine').is(200, { enabled: false }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=flag-wide').is(200, { enabled: true }),
      ],
    },
    'A present key replaces the stored value; an absent key is left alone.': {
      'override-beside-other-keys': [
        platformCi
          .change('${flag:platform/checkout}?env=constructor', {
            cohorts: ['flag-wide', 'also-wide'],
            trafficPercentage: 98,
          })
          .is(200, { changed: true, flag: { cohorts: ['flag-wide', 'also-wide'], trafficPercentage: 98 } }),
        platformCi
          .change('${flag:platform/checkout}?env=constructor', { cohorts: [] })
          .is(200, { changed: false }),
        platformCi
          .change('${flag:platform/checkout}?env=constructor', { trafficPercentage: 100 })
          .is(200, { changed: true }),
      ],
    },
  },
};
