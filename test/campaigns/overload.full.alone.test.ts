import { overload } from './overload.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(overload);
