/** The flag `half`, on for 50 % of users, as Unleash's Client API describes it. */
export const unleashFlag = {
  name: 'half',
  type: 'release',
  project: 'default',
  enabled: true,
  stale: false,
  impressionData: false,
  strategies: [
    {
      name: 'flexibleRollout',
      constraints: [],
      parameters: { groupId: 'half', rollout: '50', stickiness: 'userId' },
    },
  ],
  variants: [],
};
