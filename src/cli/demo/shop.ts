import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import { type Demo, demoTokens } from './demo.ts';

const off: DeclaredState = { enabled: false };
const forAll: DeclaredState = { enabled: true, trafficPercentage: 100 };

function forPart(trafficPercentage: number, cohorts: string[] = []): DeclaredState {
  return { enabled: true, trafficPercentage, cohorts };
}

function flag(
  [name, description]: readonly [name: string, description: string],
  tag: string,
  production: DeclaredState,
  staging: DeclaredState = forAll,
): DeclaredFlag {
  return { name, description, tags: [tag], environments: { production, staging } };
}

const members = 'Members';
const businesses = 'Businesses';

const flags: readonly DeclaredFlag[] = [
  flag(['apple-pay', 'One more way to pay'], 'checkout', forAll),
  flag(['dark-mode', 'A dark colour scheme'], 'design', forPart(50)),
  flag(
    ['express-delivery', 'Delivery on the same day, for members'],
    'delivery',
    { ...forAll, audience: members },
    { ...forAll, audience: members },
  ),
  flag(['free-returns', 'Free returns for 30 days'], 'delivery', forAll),
  flag(['gift-cards', 'Gift cards by email'], 'checkout', off),
  flag(['invoice-payment', 'Businesses pay by invoice'], 'checkout', {
    ...forPart(20),
    audience: businesses,
  }),
  flag(['loyalty-points', 'Points for each order'], 'marketing', off, forPart(50)),
  flag(['maintenance-banner', 'Announces maintenance on every page'], 'operations', off, off),
  flag(['new-checkout', 'One page instead of four'], 'checkout', forPart(25, ['employees', 'beta-testers'])),
  flag(['product-videos', 'Videos next to the pictures'], 'design', forPart(10)),
  flag(['recommendations', 'Products that fit the cart'], 'marketing', forPart(0, ['employees'])),
  flag(['search-suggestions', 'Suggestions while customers type'], 'search', forAll),
  flag(['support-chat', 'A chat with the support team'], 'support', { ...forAll, audience: members }),
  flag(['waiting-room', 'Queues visitors when the shop is full'], 'operations', off, off),
];

/** A shop with production and staging, made up. */
export const shop: Demo = {
  name: 'shop',
  about: 'a shop with production and staging',
  project: {
    name: 'shop',
    slug: 'shop',
    isSlugPublic: true,
    environments: ['production', 'staging'],
    protectedEnvironments: ['production'],
    audiences: [
      { name: members, rules: [{ attribute: 'plan', values: ['plus', 'family'] }] },
      { name: businesses, rules: [{ attribute: 'customer', values: ['business'] }] },
    ],
    flags: [...flags],
    tokens: demoTokens,
  },
  environment: 'production',
  questions: [
    {
      text: 'Is the new checkout on for this user? It is for 25 % of all users, always the same ones.',
      flag: 'new-checkout',
      query: 'targetingKey=user-42',
    },
    {
      text: 'Is it on for employees? It is for each of them.',
      flag: 'new-checkout',
      query: 'cohort=employees',
    },
    {
      text: 'Is express delivery on for customers of this plan? Try plan=basic.',
      flag: 'express-delivery',
      query: 'targetingKey=user-42&plan=plus',
    },
  ],
  changedFlag: 'new-checkout',
};
