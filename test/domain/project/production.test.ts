import t from 'tap';
import { isProduction, isProductionState } from '../../../src/domain/project/production.ts';

const isSo = (name: string, isProtected = false) => isProduction({ name, isProtected });

t.test('an environment is production by its name, or because it is protected', async (t) => {
  for (const name of ['production', 'prod', 'live', 'prod-eu', 'live.2', 'production_us', 'PROD']) {
    t.equal(isSo(name), true, name);
  }
  for (const name of [
    'staging',
    'products',
    'preprod',
    'pre-production',
    'liveness',
    'non-live',
    'eu-prod',
  ]) {
    t.equal(isSo(name), false, name);
    t.equal(isSo(name, true), true, `${name}, protected`);
  }
});

t.test('the only state of a single-environment project is production', async (t) => {
  t.equal(isProductionState({ isMultiEnvironment: false, environments: [] }, 0), true);
});

t.test('a state of a group flag is production as its environment is', async (t) => {
  const environments = [
    { number: 1, name: 'production', isProtected: false },
    { number: 2, name: 'staging', isProtected: false },
  ];
  const project = { isMultiEnvironment: true, environments };
  const of = (environment: number | string) => isProductionState(project, environment);
  t.strictSame([of(1), of('1'), of(2), of('2')], [true, true, false, false]);
  t.equal(of(3), false, 'an environment that was deleted');
});
