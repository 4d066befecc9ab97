import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { runTool } from './run.mjs';

/** Redocly sends no telemetry and looks for no newer release. */
const alone = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Its warnings are failures, too. */
async function askRedocly(path) {
  const args = ['lint', path, '--extends=recommended-strict', '--format=codeframe'];
  return (await runTool('redocly', args, { env: { ...process.env, ...alone } })) === 0;
}

/**
 * The library instead of the command: half the packages, and no bundler for rulesets. Findings of every severity count. It is
 * loaded here, because this file is loaded before the packages of a fresh clone are installed.
 */
async function askSpectral(path) {
  const { default: spectralCore } = await import('@stoplight/spectral-core');
  const { default: spectralRulesets } = await import('@stoplight/spectral-rulesets');
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [spectralRulesets.oas] });
  const findings = await spectral.run(JSON.parse(readFileSync(path, 'utf8')));
  for (const { code, message, path: keys } of findings)
    console.error(`${path}: ${keys.join('.')}: ${message} (${code})`);
  return findings.length === 0;
}

/**
 * Asks the linters of Redocly and Spectral, by their own rules, about an OpenAPI document.
 * @returns 0 when none has a finding
 */
export async function lintOpenApi(path = join(root, 'docs', 'openapi.json')) {
  const isSound = [await askRedocly(path), await askSpectral(path)].every(Boolean);
  return isSound ? 0 : 1;
}
