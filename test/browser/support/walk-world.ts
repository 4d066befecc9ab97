import { owner } from './sign-in.ts';

/** People of the walk, beside the Owner. */
export const editor = {
  name: 'Eddie Editor',
  email: 'eddie@example.test',
  password: 'a password of an editor',
};
export const viewer = { name: 'Vera Viewer', email: 'vera@example.test', password: 'a password of a viewer' };

const on = { enabled: true, trafficPercentage: 100 };
export const longTag = 'a-tag-that-is-as-long-as-a-tag-may-be-which-is-sixty-four-signs-';

const shop = {
  name: 'shop',
  environments: ['development', 'staging', 'production'],
  protectedEnvironments: ['production'],
  audiences: [{ name: 'Beta testers', rules: [{ attribute: 'beta', values: ['yes'] }] }],
  flags: [
    {
      name: 'checkout',
      tags: ['payments'],
      environments: { development: on, production: { enabled: false, trafficPercentage: 100 } },
    },
    { name: 'fresh' },
    { name: 'nobody-yet', environments: { development: { enabled: true, trafficPercentage: 0 } } },
    { name: 'gift-cards', environments: { production: { trafficPercentage: 0 }, staging: on } },
    { name: 'beta-search', environments: { production: { ...on, audience: 'Beta testers' }, staging: on } },
    { name: 'same-name', environments: { production: on } },
    { name: 'evaluated', environments: { production: on, staging: on } },
  ],
};

const many = {
  name: 'kubernetes-cluster-addons',
  environments: Array.from({ length: 40 }, (_, index) => `cluster-${String(index + 1).padStart(2, '0')}`),
  protectedEnvironments: ['cluster-02'],
  flags: Array.from({ length: 120 }, (_, index) => ({
    name: `feature-${String(index + 1).padStart(3, '0')}`,
    environments: { 'cluster-01': on, 'cluster-09': on, 'cluster-33': on },
  })),
};

/** What the scenes of the walk show: a shop, a project with 40 environments, and a neighbour. */
export const walkWorld = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [
        { ...owner, role: 'owner' },
        { ...editor, role: 'editor' },
        { ...viewer, role: 'viewer' },
      ],
      projects: [
        {
          name: 'payments',
          environments: ['staging', 'production'],
          flags: [{ name: 'card-authorisation', environments: { production: on } }],
        },
        shop,
        many,
        {
          name: 'tagged',
          environments: ['staging', 'production'],
          flags: [
            { name: 'one', tags: [longTag], environments: { production: on } },
            { name: 'two', environments: { staging: on } },
          ],
        },
      ],
    },
  ],
};
