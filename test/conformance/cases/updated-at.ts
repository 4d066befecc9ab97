import type { Topic } from '../conformance-case.ts';
import { ci, each, make, platformCi, platformReader, reader } from '../steps.ts';

export const updatedAt: Topic = {
  'decisions.md: Management API: the rest': {
    '`updatedAt` strictly increases on each change of a flag: the larger of the clock and the last value plus one.':
      {
        'updated-at-strictly-increases': [
          ci.create({ name: '${case}' }).is(201).keep({ flag: 'body.id', at: 'body.updatedAt' }),
          ...each(
            [
              { trafficPercentage: 1 },
              { trafficPercentage: 2 },
              { trafficPercentage: 3 },
              { trafficPercentage: 4 },
              { trafficPercentage: 5 },
              { trafficPercentage: 6 },
              { trafficPercentage: 7 },
              { trafficPercentage: 8 },
              { trafficPercentage: 9 },
              { trafficPercentage: 10 },
              { trafficPercentage: 11 },
              { trafficPercentage: 12 },
            ],
            (body) =>
              ci
                .change('${flag}', body)
                .is(200, { changed: true, flag: { updatedAt: { $gt: '${at}' } } })
                .keep({ at: 'body.flag.updatedAt' }),
          ),
          reader.read('${flag}').is(200, { updatedAt: '${at}' }),
        ],
        'updated-at-across-environments': [
          platformCi.create({ name: '${case}' }).is(201).keep({ flag: 'body.id', at: 'body.updatedAt' }),
          platformCi
            .change('${flag}?env=staging', { enabled: true })
            .is(200, { flag: { updatedAt: { $gt: '${at}' } } })
            .keep({ at: 'body.flag.updatedAt' }),
          platformCi
            .change('${flag}?env=production', { enabled: true })
            .is(200, { flag: { updatedAt: { $gt: '${at}' } } })
            .keep({ at: 'body.flag.updatedAt' }),
          platformReader
            .read('${flag}')
            .is(200, { updatedAt: '${at}', environments: { $every: { updatedAt: '${at}' } } }),
          platformReader.read('${flag}?env=constructor').is(200, { updatedAt: '${at}' }),
        ],
      },
    'the larger of the clock and the last value plus one': {
      'updated-at-of-the-clock': [
        make('flag'),
        ci.change('${flag}', { enabled: true }).is(200, { flag: { updatedAt: { $near: 60000 } } }),
      ],
    },
  },
  'service.md: States and transitions': {
    '200, `changed: false`, current flag returned, nothing written: no updatedAt change, no audit entry': {
      'updated-at-of-a-patch-without-effect': [
        ci.create({ name: '${case}' }).is(201).keep({ flag: 'body.id', at: 'body.updatedAt' }),
        ci
          .change('${flag}', { enabled: false })
          .is(200, { changed: false, flag: { updatedAt: '${at}' } })
          .times(3),
        reader.read('${flag}').is(200, { updatedAt: '${at}' }),
      ],
    },
    'unchanged, no override created': {
      'updated-at-of-the-inherited-list-sent-back': [
        platformReader.read('${flag:platform/checkout}').is(200).keep({ at: 'body.updatedAt' }),
        platformCi
          .change('${flag:platform/checkout}?env=production', { cohorts: ['flag-wide', 'also-wide'] })
          .is(200, { changed: false, flag: { updatedAt: '${at}' } }),
        platformReader.read('${flag:platform/checkout}').is(200, { updatedAt: '${at}' }),
      ],
    },
  },
};
