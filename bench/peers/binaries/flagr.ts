import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryPeer } from './binary-peer.ts';
import { askedFlag, rolloutPercentage, rule, ruleFlags } from './rule-question.ts';

const flags = ruleFlags.map((key, index) => {
  const id = index + 1;
  const constraint = {
    ID: id,
    SegmentID: id,
    Property: rule.attribute,
    Operator: 'EQ',
    Value: JSON.stringify(rule.value),
  };
  const distribution = { ID: id, SegmentID: id, VariantID: id, VariantKey: 'on', Percent: 100 };
  const segment = {
    ID: id,
    FlagID: id,
    Rank: 0,
    RolloutPercent: rolloutPercentage,
    Constraints: [constraint],
    Distributions: [distribution],
  };
  const variant = { ID: id, FlagID: id, Key: 'on', Attachment: {} };
  return { ID: id, Key: key, Enabled: true, Segments: [segment], Variants: [variant] };
});

export const flagrPeer: BinaryPeer = {
  name: 'flagr',
  how: 'flagr-server with FLAGR_DB_DBDRIVER=json_file, its recorder and its log of evaluations off; POST /api/v1/evaluation',
  otherPorts: 0,
  version: { path: '/swagger.json', pattern: /"version": "([^"]+)"/ },
  configure: ({ folder, port }) => {
    const file = join(folder, 'flags.json');
    writeFileSync(file, JSON.stringify({ Flags: flags }));
    return {
      args: [],
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        FLAGR_DB_DBDRIVER: 'json_file',
        FLAGR_DB_DBCONNECTIONSTR: file,
        FLAGR_LOGRUS_LEVEL: 'error',
        FLAGR_EVAL_LOGGING_ENABLED: 'false',
        FLAGR_RECORDER_ENABLED: 'false',
      },
    };
  },
  requestFor: (user, attribute) => ({
    method: 'POST',
    path: '/api/v1/evaluation',
    body: JSON.stringify({
      entityID: user,
      flagKey: askedFlag,
      entityContext: { [rule.attribute]: attribute },
    }),
    status: 200,
  }),
  isOn: (body) => (JSON.parse(body) as { readonly variantKey?: unknown }).variantKey === 'on',
};
