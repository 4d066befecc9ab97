import t from 'tap';
import { inMemory } from '../../src/sdk/testing.ts';

t.test('flags of a test are flipped at once, and it knows which were asked for', async (t) => {
  const flags = inMemory({ checkout: true });
  const told: (readonly string[])[] = [];
  const end = flags.on('change', (names) => told.push(names));
  t.equal(flags.status, 'ready');
  t.equal(flags.isOn('checkout', {}, false), true);
  flags.set({ checkout: false, search: true });
  t.equal(flags.isOn('checkout', {}, true), false);
  t.same(told, [['checkout', 'search']]);
  end();
  flags.set({ checkout: true });
  t.equal(told.length, 1, 'a removed listener hears nothing');
  t.equal(flags.isOn('missing', {}, true), true);
  t.same(flags.asked, ['checkout', 'missing']);
  flags.forget();
  t.same(flags.asked, []);
  flags.remove('checkout');
  t.equal(flags.isOn('checkout', {}, false), false);
  t.equal(flags.explain('checkout', {}, false).reason, 'flag-not-found');
});

t.test('rules are those of the service', async (t) => {
  const flags = inMemory({
    beta: { cohorts: ['staff'], trafficPercentage: 0 },
    pro: { audience: { plan: ['pro', 'team'], country: ['CH'] }, trafficPercentage: 50 },
  });
  t.equal(flags.isOn('beta', { cohort: 'staff' }, false), true);
  t.equal(flags.isOn('beta', { targetingKey: 'u' }, false), false);
  t.equal(flags.isOn('pro', { targetingKey: 'u', plan: 'free', country: 'CH' }, false), false);
  const keys = Array.from({ length: 1000 }, (_unused, index) => `u${index}`);
  const on = keys.filter((targetingKey) =>
    flags.isOn('pro', { targetingKey, plan: 'pro', country: 'CH' }, false),
  );
  t.ok(on.length > 400 && on.length < 600, `${on.length} of 1000`);
  const explained = flags.explain('pro', { targetingKey: on[0], plan: 'pro', country: 'CH' }, false);
  t.match(explained, { value: true, rule: 'percentage', reason: 'bucket-in-rollout', name: 'pro' });
  t.ok((explained.bucket ?? 100) < 50);
  t.match(explained.explanation, /The rollout is everything below 50%/);
  t.throws(() => flags.set({ bad: { trafficPercentage: 50.5 } }), /whole number from 0 to 100/);
});

t.test('a test can have a bad day', async (t) => {
  const flags = inMemory({ checkout: true });
  const told: string[] = [];
  flags.on('status', (status) => told.push(status));
  flags.on('status', () => {
    throw new Error('a listener that throws disturbs nobody');
  });
  flags.setStatus('stale');
  flags.setStatus('stale');
  flags.setStatus('ready');
  t.same(told, ['stale', 'ready']);
  t.throws(() => flags.on('changes' as never, (() => undefined) as never), /'change' or 'status'/);
  await flags.close();
});
