import { tenants } from './tenants.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(tenants);
