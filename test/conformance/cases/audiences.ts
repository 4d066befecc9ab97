import type { Topic } from '../conformance-case.ts';
import { ci, evaluate, make, platformCi, platformReader, reader } from '../steps.ts';

export const audiences: Topic = {
  'service.md: What the service does': {
    'The API can attach or detach an audience on a flag through `audienceId`.': {
      'audience-attached-through-the-api': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=production', { audienceId: '${audience:platform/Pro}' })
          .is(200, { changed: true, flag: { audienceId: '${audience:platform/Pro}' } }),
        platformReader.read('${flag}').is(200, {
          environments: {
            production: { audienceId: '${audience:platform/Pro}' },
            staging: { audienceId: null },
          },
        }),
        platformCi
          .change('${flag}?env=production', { audienceId: null })
          .is(200, { changed: true, flag: { audienceId: null } }),
      ],
    },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    '`audienceId` set to an id attaches the audience; `null` detaches it so the flag applies to everyone.': {
      'audience-exchanged': [
        make('flag', { audienceId: '${audience:shop/Pro}' }),
        ci
          .change('${flag}', { audienceId: '${audience:shop/Spaced}' })
          .is(200, { changed: true, flag: { audienceId: '${audience:shop/Spaced}' } }),
        ci.change('${flag}', { audienceId: '${audience:shop/Spaced}' }).is(200, { changed: false }),
      ],
    },
    'On a group flag `audienceId` is per environment': {
      'audience-per-environment': [
        evaluate('${flag:platform/checkout}?env=staging&plan=free&targetingKey=x').is(200, {
          enabled: false,
        }),
        platformReader
          .read('${flag:platform/checkout}?env=staging')
          .is(200, { audienceId: '${audience:platform/Pro}' }),
        platformReader.read('${flag:platform/checkout}?env=__proto__').is(200, { audienceId: null }),
      ],
    },
  },
  'service.md: Audience': {
    'An audience is a named set of attribute rules belonging to a project and identified by a string id.': {
      'audience-belongs-to-a-project': [
        reader.list('?name=pro-only').is(200, { flags: [{ audienceId: '${audience:shop/Pro}' }] }),
        make('flag'),
        ci
          .change('${flag}', { audienceId: '${audience:catalogue/Pro}' })
          .invalid('does not exist on this project'),
      ],
    },
    'Audiences are available on Teams and Enterprise plans.': {
      'audience-on-teams': [
        evaluate('${flag:shop/pro-only}?plan=team').is(200, { enabled: true }),
        evaluate('${flag:shop/pro-only}').is(200, { enabled: false }),
      ],
    },
  },
};
