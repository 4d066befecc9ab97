import { fileURLToPath } from 'node:url';

/** Burgee itself, as it is built. */
export const mainProgram = fileURLToPath(new URL('../../server/main.js', import.meta.url));
/** The same before it is bundled: a module that is loaded first shares its modules, and can take something out of them. */
export const unbundledProgram = fileURLToPath(new URL('../../src/main.js', import.meta.url));
export const bareProgram = fileURLToPath(new URL('./bare-server.js', import.meta.url));
export const inGatewayProgram = fileURLToPath(new URL('./in-gateway-server.js', import.meta.url));
export const nodeHttpProgram = fileURLToPath(new URL('./node-http-server.js', import.meta.url));

/** Modules that a server loads first (`--import`), each of which takes some of the counting out of every thread. */
export const withoutMetrics = new URL('./without-metrics.js', import.meta.url).href;
export const withoutEvaluationCounts = new URL('./without-evaluation-counts.js', import.meta.url).href;
export const withoutClock = new URL('./without-clock.js', import.meta.url).href;

/** The environment without `BURGEE_*` variables: what is measured depends on the arguments alone. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BURGEE_')));
}
