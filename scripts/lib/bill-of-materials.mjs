import { builds } from '../choose-node.cjs';
import { shippedPackages } from './supply-chain.mjs';

function componentOf({ name, version, license, integrity }) {
  const hash = integrity?.startsWith('sha512-') ? Buffer.from(integrity.slice(7), 'base64') : null;
  return {
    'bom-ref': `${name}@${version}`,
    ...{ type: 'library', name, version, scope: 'required' },
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(hash === null ? {} : { hashes: [{ alg: 'SHA-512', content: hash.toString('hex') }] }),
    licenses: [license.startsWith('(') ? { expression: license } : { license: { id: license } }],
  };
}

/**
 * Adds what npm does not know to its bill of materials: packages whose code is in the files for browsers, and the Node of
 * the archives.
 */
export function addIncluded(bill) {
  const known = new Set(bill.components.map((component) => component['bom-ref']));
  const included = shippedPackages().map(componentOf);
  const { version } = builds['linux x64'];
  const node = {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const added = [...included, node].filter((component) => !known.has(component['bom-ref']));
  return { ...bill, components: [...bill.components, ...added] };
}
