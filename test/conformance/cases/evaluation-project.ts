import type { Topic } from '../conformance-case.ts';
import { anyBoolean, anyId, anyone, anyText, make } from '../steps.ts';

export const evaluationProject: Topic = {
  'service.md: Evaluation API': {
    'returns 200 with an array of `{id, name, enabled}` for all flags of the project.': {
      'project-list': anyone.get('/v1/flags/project/${project:catalogue}').exactly(200, [
        { id: '${flag:catalogue/apple}', name: 'apple', enabled: true },
        { id: '${flag:catalogue/banana}', name: 'banana', enabled: false },
        { id: '${flag:catalogue/cherry}', name: 'cherry', enabled: false },
        { id: '${flag:catalogue/date}', name: 'date', enabled: anyBoolean },
        { id: '${flag:catalogue/elder}', name: 'elder', enabled: false },
      ]),
      'project-list-empty': anyone.get('/v1/flags/project/${project:blank}').exactly(200, []),
    },
    'It accepts the `cohort` query parameter; an undecodable cohort gives 400.': {
      'project-list-cohort': [
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=fruit%20fans').exactly(200, [
          { id: '${flag:catalogue/apple}', name: 'apple', enabled: true },
          { id: '${flag:catalogue/banana}', name: 'banana', enabled: false },
          { id: '${flag:catalogue/cherry}', name: 'cherry', enabled: true },
          { id: '${flag:catalogue/date}', name: 'date', enabled: anyBoolean },
          { id: '${flag:catalogue/elder}', name: 'elder', enabled: false },
        ]),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=fruit+fans').is(400),
      ],
    },
  },
  'service.md: Evaluation flag response': {
    'The project list on the Evaluation API returns an array of objects of that same shape.': {
      'project-list-shape': anyone
        .get('/v1/flags/project/${project:catalogue}')
        .is(200, { $every: { $exactly: { id: anyId, name: anyText, enabled: anyBoolean } } }),
    },
  },
  'decisions.md: Evaluation API': {
    'takes every parameter of the single-flag route': {
      'project-list-attributes': anyone.get('/v1/flags/project/${project:catalogue}?plan=pro').exactly(200, [
        { id: '${flag:catalogue/apple}', name: 'apple', enabled: true },
        { id: '${flag:catalogue/banana}', name: 'banana', enabled: false },
        { id: '${flag:catalogue/cherry}', name: 'cherry', enabled: false },
        { id: '${flag:catalogue/date}', name: 'date', enabled: anyBoolean },
        { id: '${flag:catalogue/elder}', name: 'elder', enabled: true },
      ]),
      'project-list-env-ignored': anyone.get('/v1/flags/project/${project:catalogue}?env=mars').exactly(200, [
        { id: '${flag:catalogue/apple}', name: 'apple', enabled: true },
        { id: '${flag:catalogue/banana}', name: 'banana', enabled: false },
        { id: '${flag:catalogue/cherry}', name: 'cherry', enabled: false },
        { id: '${flag:catalogue/date}', name: 'date', enabled: anyBoolean },
        { id: '${flag:catalogue/elder}', name: 'elder', enabled: false },
      ]),
      'project-list-of-an-environment': [
        anyone.get('/v1/flags/project/${project:regions}?env=eu&cohort=testers').exactly(200, [
          { id: '${flag:regions/alpha}', name: 'alpha', enabled: true },
          { id: '${flag:regions/beta}', name: 'beta', enabled: true },
          { id: '${flag:regions/gamma}', name: 'gamma', enabled: false },
        ]),
        anyone.get('/v1/flags/project/${project:regions}?env=us').exactly(200, [
          { id: '${flag:regions/alpha}', name: 'alpha', enabled: true },
          { id: '${flag:regions/beta}', name: 'beta', enabled: false },
          { id: '${flag:regions/gamma}', name: 'gamma', enabled: false },
        ]),
      ],
    },
    'Unknown project: 404.': {
      'project-list-unknown': [
        anyone.get(`/v1/flags/project/${'A'.repeat(20)}`).notFound(),
        anyone.get('/v1/flags/project/shop').is(404),
        anyone.get('/v1/flags/project/${flag:shop/on}').is(404),
        anyone.get('/v1/flags/project/__proto__').is(404),
      ],
    },
    'A multi-environment project with `env` missing or unknown: 404, as for one flag.': {
      'project-list-env-missing': anyone.get('/v1/flags/project/${project:regions}').is(404),
      'project-list-env-unknown': [
        anyone.get('/v1/flags/project/${project:regions}?env=mars').is(404),
        anyone.get('/v1/flags/project/${project:regions}?env=').is(404),
        anyone.get('/v1/flags/project/${project:fresh}?env=mars').is(404),
        anyone.get('/v1/flags/project/${project:fresh}').is(404),
      ],
    },
    'Flags come by name, then id.': {
      'project-list-order': [
        make('a', { name: 'same name' }),
        make('b', { name: 'same name' }),
        make('c', { name: 'Same name' }),
        make('d', { name: 'same namf' }),
        anyone.get('/v1/flags/project/${project:shop}').is(200, { $sorted: 'name,id' }),
      ],
    },
  },
  'service.md: Flag representation': {
    "the effective list: the environment's own override if it has one, otherwise the flag-wide list": {
      'project-list-wide-cohort': anyone
        .get('/v1/flags/project/${project:platform}?env=__proto__&cohort=flag-wide')
        .is(200, { $some: { name: 'checkout', enabled: true } }),
    },
  },
  'decisions.md: Names and ids': {
    'Environment names: 1 to 64 characters of `a-z 0-9 - _ .`, unique in a project, case-sensitive.': {
      'project-list-env-proto': [
        anyone
          .get('/v1/flags/project/${project:platform}?env=__proto__')
          .is(200, { $some: { name: 'checkout', enabled: false } }),
        anyone
          .get('/v1/flags/project/${project:platform}?env=constructor')
          .is(200, { $some: { name: 'checkout', enabled: true } }),
        anyone.get('/v1/flags/project/${project:regions}?env=__proto__').is(404),
        anyone.get('/v1/flags/project/${project:regions}?env=constructor').is(404),
      ],
    },
  },
  'decisions.md: Organisations, members and plans': {
    'Ineligibility never touches the Evaluation API.': {
      'project-list-of-a-plan-without-the-api': anyone
        .get('/v1/flags/project/${project:free-app}?plan=pro')
        .exactly(200, [
          { id: '${flag:free-app/attached}', name: 'attached', enabled: true },
          { id: '${flag:free-app/flag}', name: 'flag', enabled: true },
        ]),
    },
  },
};
