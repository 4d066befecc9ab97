/** The member who does the tasks. */
export const owner = {
  name: 'Olga Owner',
  email: 'olga@example.test',
  password: 'correct horse battery staple',
} as const;

/** The project in which the tasks begin, and another one. */
export const here = 'shop';
export const elsewhere = 'payments';

/** The audience and the tag that tasks look for. */
export const audience = 'Beta testers';
export const tag = 'checkout';
/** How many flags have the tag and are on in production. */
export const taggedAndOn = 4;

const environments = ['development', 'staging', 'production'] as const;

const areas = ['cart', 'catalogue', 'delivery', 'login', 'mail', 'offers', 'orders', 'profile', 'returns'];
const things = ['banner', 'cache', 'dialog', 'export', 'filter', 'import', 'limit', 'menu', 'page', 'retry'];

interface World {
  readonly name: string;
  readonly tags?: readonly string[];
  readonly environments?: Readonly<Record<string, object>>;
}

const on = { enabled: true, trafficPercentage: 100 };

/** Ninety flags that are not part of any task, a third of them on in production. */
function otherFlags(): World[] {
  return areas.flatMap((area, row) =>
    things.map((thing, column) => ({
      name: `${area}-${thing}`,
      tags: [area],
      environments: { development: on, ...((row + column) % 3 === 0 ? { production: on } : {}) },
    })),
  );
}

/** The flags of the tasks, each of one task alone. */
const taskFlags: readonly World[] = [
  { name: 'express-checkout', environments: { production: on } },
  { name: 'gift-cards', environments: { production: { enabled: true, trafficPercentage: 10 } } },
  { name: 'beta-search', environments: { production: on } },
  { name: 'new-prices', environments: { staging: on } },
  { name: 'price-rounding', environments: { production: { enabled: true, trafficPercentage: 25 } } },
  { name: 'stock-alerts', environments: { staging: on } },
  { name: 'fast-lane', environments: { production: { enabled: true, trafficPercentage: 50 } } },
];

function taggedFlags(): World[] {
  return Array.from({ length: taggedAndOn * 2 }, (_, index) => ({
    name: `checkout-step-${index + 1}`,
    tags: [tag],
    environments: index < taggedAndOn ? { production: on } : { staging: on },
  }));
}

function project(name: string, flags: readonly World[]): object {
  return {
    name,
    environments,
    protectedEnvironments: ['production'],
    audiences: [{ name: audience, rules: [{ attribute: 'beta', values: ['yes'] }] }],
    flags,
  };
}

/** A shop's organisation: eight projects, of which two have about a hundred flags, and production is protected. */
export const organisation = {
  name: 'Acme',
  plan: 'enterprise',
  members: [{ ...owner, role: 'owner' }],
  projects: [
    ...['billing', 'identity', 'mobile'].map((name) => project(name, [])),
    project(elsewhere, [...otherFlags(), { name: 'card-authorisation', environments: { production: on } }]),
    project('search', []),
    project(here, [...otherFlags(), ...taskFlags, ...taggedFlags()]),
    ...['warehouse', 'website'].map((name) => project(name, [])),
  ],
} as const;
