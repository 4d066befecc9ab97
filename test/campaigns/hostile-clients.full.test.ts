import { hostileClients } from './hostile-clients.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(hostileClients);
