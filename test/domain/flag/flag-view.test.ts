import t from 'tap';
import { flagView, flatFlagView } from '../../../src/domain/flag/flag-view.ts';
import { audienceId, flagUpdatedAt, flagWith, projectWith } from '../management/domain-fixture.ts';

const updatedAt = flagUpdatedAt;

t.test('a single-environment flag is flat, its fields in the order of the specification', async (t) => {
  const flag = flagWith({ 0: { enabled: true, trafficPercentage: 50, cohortOverride: ['a'] } });
  t.equal(
    JSON.stringify(flagView(flag, projectWith(null), null)),
    `{"id":"${flag.id}","name":"checkout","kind":"flag","updatedAt":5000,"enabled":true,"trafficPercentage":50,"cohorts":["a"],"audienceId":null}`,
  );
});

t.test('a group flag without an environment shows all of them', async (t) => {
  const project = projectWith(['production', '__proto__', 'constructor']);
  const flag = flagWith({ 2: { enabled: true, audienceId, cohortOverride: ['own'] } }, ['wide']);
  const off = { enabled: false, trafficPercentage: 0, cohorts: ['wide'], audienceId: null, updatedAt };
  const on = { enabled: true, trafficPercentage: 0, cohorts: ['own'], audienceId, updatedAt };
  const text = JSON.stringify(flagView(flag, project, null));
  const environments = `{"production":${JSON.stringify(off)},"__proto__":${JSON.stringify(on)},"constructor":${JSON.stringify(off)}}`;
  t.equal(
    text,
    `{"id":"${flag.id}","name":"checkout","kind":"groupflag","updatedAt":5000,"environments":${environments}}`,
  );
  t.match(JSON.stringify(flagView(flag, projectWith([]), null)), '"environments":{}');
});

t.test('a group flag in one environment is flat and names it', async (t) => {
  const project = projectWith(['production']);
  const flag = flagWith({ 1: { enabled: true } }, ['wide']);
  const [production = null] = project.environments;
  const text = JSON.stringify(flatFlagView(flag, project, production));
  t.match(
    text,
    '"kind":"groupflag","updatedAt":5000,"enabled":true,"trafficPercentage":0,"cohorts":["wide"]',
  );
  t.ok(text.endsWith('"audienceId":null,"environment":"production"}'));
  t.equal(JSON.stringify(flagView(flag, project, production)), text);
});
