import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes source maps, and native code for other platforms and Nodes.
 * @param folder of packages
 * @param platform such as `linux-x64`, with glibc
 * @param abi of the Node that will run, such as `127`
 */
export function removeUnused(folder, platform, abi) {
  const isUsed = (path) => {
    const [, abiOfFile = abi] = /(?:[.]abi|_)(\d{3})(?=[.])/.exec(path) ?? [];
    const [, prebuilt = platform] = /prebuilds\/([\w-]+)\//.exec(path) ?? [];
    const [, system = platform] = /uws_([a-z0-9]+_[a-z0-9]+)_/.exec(path) ?? [];
    const isOfPlatform = prebuilt === platform && system.replace('_', '-') === platform;
    return abiOfFile === abi && isOfPlatform && !path.includes('.musl.');
  };
  for (const path of readdirSync(folder, { recursive: true }))
    if (path.endsWith('.map') || (path.endsWith('.node') && !isUsed(path))) rmSync(join(folder, path));
}
