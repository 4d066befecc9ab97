/** What a script does with the client that openapi-generator makes for TypeScript. */
import { Configuration, EvaluationAPIApi, ManagementAPIApi } from './client/index.js';

const { URL: basePath = '', TOKEN: token = '', FLAG: flag = '' } = process.env;
const evaluation = new EvaluationAPIApi(new Configuration({ basePath }));
const management = new ManagementAPIApi(new Configuration({ basePath, accessToken: token }));

const decision = await evaluation.evaluateFlag({
  flagId: flag,
  env: 'production',
  targetingKey: 'user-42',
  attributes: { plan: 'pro' },
});
const { flags } = await management.listFlags();
const changed = await management.patchFlag({
  id: flag,
  env: 'production',
  flagPatchBody: { trafficPercentage: 7 },
});
const seen = {
  attribute: decision.enabled,
  flags: flags.length,
  updatedAt: flags[0]?.updatedAt,
  trafficPercentage: changed.flag.trafficPercentage,
};
console.log(JSON.stringify(seen));
