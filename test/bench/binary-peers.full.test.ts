import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { runBinaries } from '../../bench/peers/binaries/run-binaries.ts';
import { quickBench, useTemporaryFolder } from './quick-bench.ts';

/*
 * No peer's program is installed here. A small server with flagr's API, which reads flagr's file of flags, takes the
 * place of one.
 */

const users = 1000;
const programs = mkdtempSync(join(tmpdir(), 'programs-'));
t.teardown(() => rmSync(programs, { recursive: true, force: true }));
const folder = useTemporaryFolder();

/** A program that answers as flagr does. @param decide an expression that is true when the flag is on */
function writeFlagr(name: string, decide: string): string {
  return writeProgram(
    name,
    `#!${process.execPath}
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { FLAGR_DB_DBCONNECTIONSTR, HOST, PORT } = process.env;
const { Flags } = JSON.parse(readFileSync(FLAGR_DB_DBCONNECTIONSTR, 'utf8'));

let asked = 0;

function answer({ entityID, flagKey, entityContext }) {
  const [{ RolloutPercent, Constraints, Distributions }] = Flags.find(({ Key }) => Key === flagKey).Segments;
  const [{ Property, Operator, Value }] = Constraints;
  const isMatched = Operator === 'EQ' && entityContext[Property] === JSON.parse(Value);
  const isRolledOut = (createHash('md5').update(entityID).digest()[0] / 256) * 100 < RolloutPercent;
  return ${decide} ? { variantKey: Distributions[0].VariantKey } : {};
}

require('node:http')
  .createServer(async (request, response) => {
    if (request.url === '/swagger.json') return response.end('{ "version": "9.8.7" }');
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    response.end(JSON.stringify(answer(JSON.parse(Buffer.concat(pieces)))));
  })
  .listen(Number(PORT), HOST);
`,
  );
}

function writeProgram(name: string, text: string): string {
  const path = join(programs, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const run = (program: string): ReturnType<typeof runBinaries> =>
  runBinaries(quickBench(new Map([['flagr', program]])), users);

t.test(
  'a given program is compared with Burgee and a bare answer, and programs that are not given are named',
  async (t) => {
    const { comparisons, targets, missing } = await run(writeFlagr('right', 'isMatched && isRolledOut'));
    t.strictSame(
      comparisons.map(({ id }) => id),
      ['rules-1', 'rules-8'],
    );
    for (const { contenders, base, metrics } of comparisons) {
      t.equal(base, 'burgee');
      t.strictSame(
        contenders.map(({ name }) => name),
        ['burgee', 'bare', 'flagr'],
      );
      t.match(contenders[2]?.what, /^flagr 9\.8\.7: flagr-server with /);
      for (const { key, values } of metrics)
        for (const { name } of contenders) t.ok((values[name]?.[0] ?? 0) > 0, `${key} of ${name}`);
    }
    t.equal(targets.length, 8, 'rate, CPU, p50 and p99, over each number of connections');
    for (const { contender, comparison } of targets) {
      t.equal(contender, 'flagr');
      t.ok(comparisons.some(({ id }) => id === comparison));
    }
    t.strictSame(
      missing.map(({ name }) => name),
      ['unleash-edge', 'go-feature-flag', 'flagd', 'flipt'],
    );
    t.match(missing[0]?.why, 'its program was not given (--peer unleash-edge=PATH)');
    t.strictSame(readdirSync(folder), [], 'no folder is left');
  },
);

t.test('a program that answers wrongly is refused', async (t) => {
  await t.rejects(run(writeFlagr('ruleless', 'isRolledOut')), {
    message: /flagr has the flag on for \d+ of 100 users that its rule does not match/,
  });
  await t.rejects(run(writeFlagr('generous', 'isMatched')), {
    message: /flagr has the flag on for 200 of 200 users, which is not about half/,
  });
  // Another answer each time, and the same ones in each run.
  const isFickle = "createHash('md5').update(entityID + asked++).digest()[0] < 128";
  await t.rejects(run(writeFlagr('fickle', `isMatched && ${isFickle}`)), {
    message: /flagr answered \d+ of 200 users differently when asked again/,
  });
  t.strictSame(readdirSync(folder), [], 'no folder is left');
});
