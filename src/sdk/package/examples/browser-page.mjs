// A page that follows a flag. Browsers ask Burgee by OFREP and need no token, so burgee-client has no part in it:
// npm install @openfeature/web-sdk @openfeature/ofrep-web-provider, and bundle this file as the rest of the page.
//
//   <p id="checkout" data-project="https://flags.example.com/projects/PROJECT_ID/production" data-user="user-1"></p>
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

const place = document.querySelector('#checkout');
const { project, user } = place.dataset;

function show() {
  const isNew = OpenFeature.getClient().getBooleanValue('checkout', false);
  place.textContent = isNew ? 'the new checkout' : 'the old checkout';
}

// The page is complete before it knows any flag, and whenever Burgee is unreachable.
place.textContent = 'the old checkout';
await OpenFeature.setContext({ targetingKey: user, plan: 'pro' });
OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, show);
OpenFeature.addHandler(ProviderEvents.Ready, show);
// Changes come by an event; without it the provider asks again each half minute.
OpenFeature.setProvider(new OFREPWebProvider({ baseUrl: project, pollInterval: 30_000 }));
