/** The flag that each library evaluates: at 50 %, with a rule on two attributes, for users with five attributes. */
export const plans = ['pro', 'team', 'enterprise'];
export const countries = ['CH', 'DE', 'AT', 'FR', 'IT'];

/**
 * @param {string} userId
 * @returns the attributes of a user whom the rule matches, without the user's id
 */
export function attributesOf(userId) {
  const number = Number(userId.slice(userId.indexOf('-') + 1));
  return {
    plan: plans[number % plans.length],
    country: countries[number % countries.length],
    version: '4.2.1',
    device: number % 2 === 0 ? 'phone' : 'tablet',
    isEmployee: false,
  };
}
