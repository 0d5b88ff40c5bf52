import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { endCampaign } from './service/end.ts'
import { processInvoiceResult } from './service/process-invoice-result.ts'

export const dunInvoices: WorkType<'invoice'> = {
  name: 'invoice.dun',
  objectKind: 'invoice',
  onTestClocks: true,
  due: dueIn({
    work: 'invoice.dun',
    kind: 'invoice',
    table: 'invoices',
    column: 'dunning_due_at',
    onTestClocks: true,
  }),
  handle: processInvoiceResult,
}

export const endDunningCampaigns: WorkType<'dunning_campaign'> = {
  name: 'dunning_campaign.end',
  objectKind: 'dunning_campaign',
  onTestClocks: true,
  due: dueIn({
    work: 'dunning_campaign.end',
    kind: 'dunning_campaign',
    table: 'dunning_campaigns',
    column: 'due_at',
    onTestClocks: true,
  }),
  handle: endCampaign,
}
