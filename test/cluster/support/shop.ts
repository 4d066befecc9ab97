/** One flag, which is off, and a token that may write. */
export const shop = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: [
        {
          name: 'shop',
          flags: [{ name: 'checkout', enabled: false, trafficPercentage: 100 }],
          tokens: [{ name: 'ci', permission: 'write' }],
        },
      ],
    },
  ],
};
