import type { DunningCampaign, ListDunningCampaigns } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { DueTime } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { CampaignActions } from './actions.tsx'
import { InvoiceAmount, useInvoice } from './amount.tsx'
import { lastReason, stageText } from './campaign-text.ts'
import { Recovery } from './recovery.tsx'
import { Stages } from './stages.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['running', 'recovered', 'exhausted', 'stopped'] },
  { name: 'subscription_id', label: 'Subscription', placeholder: 'subscription_…', kind: 'subscription' },
]

const columns: readonly Column<DunningCampaign>[] = [
  { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} />, phone: true },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ invoice_id }) => <InvoiceAmount id={invoice_id} />,
    width: '130px',
    phone: true,
  },
  { title: 'Status', cell: ({ status }) => <Status status={status} />, width: '145px' },
  {
    title: 'Stage',
    cell: (row) => <PageLink to={`/dunning/${row.id}`}>{stageText(row)}</PageLink>,
    phone: true,
  },
  { title: 'Reason', cell: (row) => <FailureCode campaign={row} /> },
  {
    title: 'Next attempt',
    cell: ({ next_attempt_at, test_clock_id }) => <DueTime at={next_attempt_at} clock={test_clock_id} />,
    width: '130px',
  },
  { title: 'Actions', cell: (row) => <CampaignActions campaign={row} compact />, width: '200px' },
]

/** The last failure code; before the first retry, the failure code of the initial payment. */
function FailureCode({ campaign }: { campaign: DunningCampaign }) {
  const { data: invoice } = useInvoice(campaign.invoice_id)
  const code = lastReason(campaign) ?? invoice?.last_failure?.code ?? null
  return code === null ? '–' : <code className="font-mono text-compact">{code}</code>
}

export function Page() {
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['dunning_campaign', filterValues, clocks], (api, page) =>
    api.dunningCampaigns.list({ ...(filterValues as ListDunningCampaigns), ...clocks, ...page }),
  )
  return (
    <>
      <PageHead title="Dunning">
        <p className="mt-1 max-w-180 text-ink2">
          When a renewal payment fails, a campaign retries the invoice according to its policy.
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Recovery />
        <Stages />
        <Panel title="Campaigns" flush>
          <FilterBar filters={filters} />
          <DataTable
            label="Dunning campaigns"
            columns={columns}
            rows={rows}
            to={({ id }) => `/dunning/${id}`}
            newObjects={useNewObjects('dunning_campaign')}
            empty={
              <NothingFound
                hasTestClocks
                filters={filters}
                title="No campaigns: no renewal payment has failed."
                action={<PageLink to="/test-clocks">Try a campaign on a test clock</PageLink>}
              />
            }
          />
        </Panel>
      </div>
    </>
  )
}
