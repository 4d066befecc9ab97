import type { Topic } from '../conformance-case.ts';
import { anyText, as, burgee, ci, evaluate, reader } from '../steps.ts';

export const eligibility: Topic = {
  'decisions.md: Management API: the order of checks': {
    '402 `Plan required`, reads included.': {
      'plan-required-free': [
        as('free-app/ci').token().exactly(402, { error: 'Plan required', detail: anyText, docs: anyText }),
        as('free-app/reader').list().is(402),
        as('free-app/reader').read('${flag:free-app/flag}').is(402),
        as('free-app/ci').create({ name: 'x' }).fails(402, 'Plan required'),
        as('free-app/ci').change('${flag:free-app/flag}', { enabled: false }).fails(402, 'Plan required'),
        evaluate('${flag:free-app/flag}').is(200, { enabled: true }),
      ],
    },
  },
  'decisions.md: Tokens': {
    'a trial has ended at now ≥ its end': {
      'plan-required-trial-ended': [
        as('tried-app/ci').token().exactly(402, { error: 'Plan required', detail: anyText, docs: anyText }),
        as('tried-app/reader').list().is(402),
        as('tried-app/reader').read('${flag:tried-app/flag}').is(402),
        as('tried-app/ci').create({ name: 'x' }).fails(402, 'Plan required'),
        as('tried-app/ci').change('${flag:tried-app/flag}', { enabled: false }).fails(402, 'Plan required'),
        evaluate('${flag:tried-app/flag}').is(200, { enabled: true }),
      ],
    },
  },
  'decisions.md: Organisations, members and plans': {
    'Eligible = (`teams` or `enterprise` or a running trial) and not lapsed.': {
      'plan-required-lapsed-enterprise': [
        as('unpaid-app/ci').token().exactly(402, { error: 'Plan required', detail: anyText, docs: anyText }),
        as('unpaid-app/reader').list().is(402),
        as('unpaid-app/reader').read('${flag:unpaid-app/flag}').is(402),
        as('unpaid-app/ci').create({ name: 'x' }).fails(402, 'Plan required'),
        as('unpaid-app/ci').change('${flag:unpaid-app/flag}', { enabled: false }).fails(402, 'Plan required'),
        evaluate('${flag:unpaid-app/flag}').is(200, { enabled: true }),
      ],
      'plan-required-lapsed-trial': [
        as('unpaid-trial-app/ci')
          .token()
          .exactly(402, { error: 'Plan required', detail: anyText, docs: anyText }),
        as('unpaid-trial-app/reader').list().is(402),
        as('unpaid-trial-app/reader').read('${flag:unpaid-trial-app/flag}').is(402),
        as('unpaid-trial-app/ci').create({ name: 'x' }).fails(402, 'Plan required'),
        as('unpaid-trial-app/ci')
          .change('${flag:unpaid-trial-app/flag}', { enabled: false })
          .fails(402, 'Plan required'),
        evaluate('${flag:unpaid-trial-app/flag}').is(200, { enabled: true }),
      ],
    },
    'The operator changes plans with the command line.': {
      'trial-begins-and-ends': [
        as('moving-trial-app/ci').token().is(402),
        burgee('organisation', 'set-plan', 'Moving trial', '--trial-ends-at', '${inAnHour}'),
        as('moving-trial-app/ci').token().is(200),
        burgee('organisation', 'set-plan', 'Moving trial', '--trial-ends-at', '${anHourAgo}'),
        as('moving-trial-app/ci').token().is(402),
      ],
    },
    'audiences cannot be created or attached, and an attached one still evaluates.': {
      'attached-audience-still-evaluates': [
        evaluate('${flag:free-app/attached}?plan=pro').is(200, { enabled: true }),
        evaluate('${flag:free-app/attached}?plan=free').is(200, { enabled: false }),
      ],
    },
  },
  'service.md: States and transitions': {
    'plan change to one without the Management API, trial end, or lapsed subscription (for example an unpaid invoice)':
      {
        'plan-required-lapsed-teams': [
          as('unpaid-team-app/ci')
            .token()
            .exactly(402, { error: 'Plan required', detail: anyText, docs: anyText }),
          as('unpaid-team-app/reader').list().is(402),
          as('unpaid-team-app/reader').read('${flag:unpaid-team-app/flag}').is(402),
          as('unpaid-team-app/ci').create({ name: 'x' }).fails(402, 'Plan required'),
          as('unpaid-team-app/ci')
            .change('${flag:unpaid-team-app/flag}', { enabled: false })
            .fails(402, 'Plan required'),
          evaluate('${flag:unpaid-team-app/flag}').is(200, { enabled: true }),
        ],
      },
    'existing tokens work again; none need recreating': {
      'plan-left-and-regained': [
        as('moving-app/ci').token().is(200),
        burgee('organisation', 'set-plan', 'Moving', '--plan', 'free'),
        as('moving-app/ci').token().fails(402, 'Plan required'),
        evaluate('${flag:moving-app/flag}').is(200, { enabled: true }),
        burgee('organisation', 'set-plan', 'Moving', '--plan', 'teams'),
        as('moving-app/ci').token().is(200),
        as('moving-app/ci')
          .change('${flag:moving-app/flag}', { trafficPercentage: 99 })
          .is(200, { changed: true }),
      ],
      'subscription-lapses-and-returns': [
        as('moving-subscription-app/reader').token().is(200),
        burgee('organisation', 'set-plan', 'Moving subscription', '--subscription', 'lapsed'),
        as('moving-subscription-app/reader').token().is(402),
        burgee('organisation', 'set-plan', 'Moving subscription', '--subscription', 'active'),
        as('moving-subscription-app/reader').token().is(200),
      ],
    },
  },
  'service.md: What the service does': {
    'Teams and Enterprise plans, and organisations on an active Teams trial.': {
      'eligible-enterprise': [reader.token().is(200), ci.create({ name: 'new' }).is(201)],
      'eligible-teams': [
        as('team-app/reader').token().is(200),
        as('team-app/ci').create({ name: 'new' }).is(201),
      ],
      'eligible-running-trial': [
        as('trial-app/reader').token().is(200),
        as('trial-app/ci').create({ name: 'new' }).is(201),
      ],
    },
  },
  'service.md: Errors': {
    'organisation not on Teams or Enterprise (or active Teams trial), or subscription lapsed; reads and writes alike':
      {
        'plan-required-reads-and-writes': [
          as('free-app/reader').list().is(402),
          as('free-app/ci').create({ name: 'x' }).is(402),
        ],
      },
  },
};
