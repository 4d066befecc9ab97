import t from 'tap';
import { isEligible, plans, subscriptions } from '../../../src/domain/organisation/organisation.ts';
import { organisationOf } from '../../storage/support/records.ts';

/* The specification's subscription table: every state, and the transitions between them. */
const now = 1_750_000_000_000;
const dayMs = 24 * 60 * 60 * 1000;
const trials = { none: null, running: now + 1, 'at its very end': now, over: now - 1 } as const;

t.test('every plan × subscription × trial', async (t) => {
  const eligible: string[] = [];
  for (const plan of plans) {
    for (const subscription of subscriptions) {
      for (const [trial, trialEndsAt] of Object.entries(trials)) {
        const organisation = organisationOf({ plan, subscription, trialEndsAt });
        if (isEligible(organisation, now)) eligible.push(`${plan}, ${subscription}, trial ${trial}`);
      }
    }
  }
  const paid = ['teams', 'enterprise'].flatMap((plan) =>
    Object.keys(trials).map((trial) => `${plan}, active, trial ${trial}`),
  );
  t.strictSame(eligible, ['free, active, trial running', ...paid]);
});

t.test('a trial of 14 days ends at exactly 14 days', async (t) => {
  const organisation = organisationOf({ plan: 'free', trialEndsAt: now + 14 * dayMs });
  t.ok(isEligible(organisation, now));
  t.ok(isEligible(organisation, now + 14 * dayMs - 1));
  t.notOk(isEligible(organisation, now + 14 * dayMs));
  t.notOk(isEligible(organisation, now + 14 * dayMs + 1));
});

t.test('from good standing to not eligible and back, by each trigger', async (t) => {
  const good = organisationOf({ plan: 'teams' });
  const triggers = {
    'a plan without the Management API': { plan: 'free' },
    'a lapsed subscription': { subscription: 'lapsed' },
    'both at once': { plan: 'free', subscription: 'lapsed' },
  } as const;
  for (const [trigger, change] of Object.entries(triggers)) {
    t.notOk(isEligible({ ...good, ...change }, now), trigger);
    t.ok(
      isEligible({ ...good, ...change, plan: 'teams', subscription: 'active' }, now),
      `back after ${trigger}`,
    );
  }
  const lapsedTrial = organisationOf({ plan: 'free', trialEndsAt: now + 1, subscription: 'lapsed' });
  t.notOk(isEligible(lapsedTrial, now), 'a running trial does not help if the subscription has lapsed');
});
