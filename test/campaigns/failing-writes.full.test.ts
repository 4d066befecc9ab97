import { failingWrites } from './failing-writes.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(failingWrites);
