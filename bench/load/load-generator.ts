import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Each request asks with one of so many different targeting keys. */
  readonly targetingKeys: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Answers with another status than 200, and requests without an answer. */
  readonly failures: number;
}

export type LoadDriver = 'wrk' | 'autocannon';

/** `wrk` where it is installed: autocannon itself is the bottleneck above some 40,000 requests a second. */
export function chooseDriver(): LoadDriver {
  return spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';
}

function wrkScript(load: Load): string {
  const path = new URL(load.url).pathname;
  return `
local key = 0
request = function()
  key = (key + 7919) % ${load.targetingKeys}
  return wrk.format("GET", "${path}?targetingKey=user-" .. key)
end
done = function(summary)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d\\n", summary.requests, summary.duration,
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

async function runWrk(load: Load): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  const script = join(directory, 'keys.lua');
  writeFileSync(script, wrkScript(load));
  try {
    const flags = [
      '-t',
      '1',
      '-c',
      String(load.connections),
      '-d',
      `${load.seconds}s`,
      '-s',
      script,
      load.url,
    ];
    const { stdout } = await run('wrk', flags);
    const [, requests, durationUs, failures] = /RESULT (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
    if (requests === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
    const seconds = Number(durationUs) / 1e6;
    return {
      requests: Number(requests),
      requestsPerSecond: Number(requests) / seconds,
      failures: Number(failures),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** In a process of its own, so that it shares no event loop with whoever measures. */
async function runAutocannon(load: Load): Promise<LoadResult> {
  const program = new URL('./autocannon-process.js', import.meta.url);
  const { stdout } = await run(process.execPath, [program.pathname, JSON.stringify(load)], {
    maxBuffer: 1e7,
  });
  return JSON.parse(stdout) as LoadResult;
}

export function generateLoad(driver: LoadDriver, load: Load): Promise<LoadResult> {
  return driver === 'wrk' ? runWrk(load) : runAutocannon(load);
}
