import { testCampaign } from './test-campaign.ts';
import { workers } from './workers.campaign.ts';

testCampaign(workers);
